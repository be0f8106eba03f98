"""A tree of named facts in columns, the look that the runs panel and the inspector share."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QTreeWidgetItemIterator, QWidget

from app.theme import after_event, theme_of

MUTED_ROLE = Qt.ItemDataRole.UserRole + 1


class FactsTree(QTreeWidget):
    """Groups that open and close; the first column names, the others say."""

    def __init__(self, columns: Sequence[str], *, giving: int = 0, parent: QWidget | None = None) -> None:
        """`giving` is the column that is cut off where there is too little room."""
        super().__init__(parent)
        self.setColumnCount(len(columns))
        self.setHeaderLabels(list(columns))
        self.setRootIsDecorated(True)
        self.setIndentation(9)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.header()
        header.setStretchLastSection(False)
        for column in range(len(columns)):
            mode = QHeaderView.ResizeMode.Stretch if column == giving else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, mode)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            after_event(self, self._mute_again)
        super().changeEvent(event)

    def _mute_again(self) -> None:
        """Muted lines carry their colour, so another theme has to hand them another one."""
        muted = QBrush(QColor(theme_of(self).muted))
        lines = QTreeWidgetItemIterator(self)
        while (item := lines.value()) is not None:
            for column in range(self.columnCount()):
                if item.data(column, MUTED_ROLE):
                    item.setForeground(column, muted)
            lines += 1

    def group(self, title: str, *, opened: bool = True) -> QTreeWidgetItem:
        """A heading; groups of the same title keep whether they are open when the tree is filled again."""
        item = QTreeWidgetItem([title])
        font = item.font(0)
        font.setBold(True)
        item.setFont(0, font)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.addTopLevelItem(item)
        item.setFirstColumnSpanned(True)
        item.setExpanded(opened)
        return item

    def row(self, group: QTreeWidgetItem, cells: Sequence[str], *, tip: str = "", muted: bool = False) -> QTreeWidgetItem:
        """One fact; `tip` is the long form of what may be cut off."""
        item = QTreeWidgetItem(list(cells))
        for column, text in enumerate(cells):
            item.setToolTip(column, tip or text)
            if column:
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            if muted:
                item.setForeground(column, QBrush(QColor(theme_of(self).muted)))
                item.setData(column, MUTED_ROLE, True)
        group.addChild(item)
        return item

    def sentence(self, group: QTreeWidgetItem, text: str, *, tip: str = "") -> QTreeWidgetItem:
        """A line that takes the whole width."""
        item = self.row(group, [text], tip=tip, muted=True)
        item.setFirstColumnSpanned(True)
        return item

    def opened(self) -> dict[str, bool]:
        """Which groups are open, by the first word of their title."""
        items = (self.topLevelItem(i) for i in range(self.topLevelItemCount()))
        return {item.text(0).split(" ")[0]: item.isExpanded() for item in items if item is not None}
