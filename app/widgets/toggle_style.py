"""How buttons look that are switched on and off."""

TOGGLE_STYLE = """
    QToolButton { border: 1px solid palette(mid); padding: 4px 9px; }
    QToolButton:checked { background: palette(highlight); color: palette(highlighted-text); border-color: palette(highlight); }
    QToolButton:checked:disabled { background: palette(mid); color: palette(text); border-color: palette(mid); }
    QToolButton:focus { border-color: palette(highlight); }
    QToolButton:checked:focus { border-color: palette(text); }
"""
