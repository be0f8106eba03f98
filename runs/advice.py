"""What a user can do about a file that cannot be read: one wording for each kind of trouble."""

UNFINISHED = "open the run again once it is written, or copy it again if it was cut off"
DAMAGED = "copy it again, or save it again"
FOREIGN = "put the file that the trainer wrote in its place"
UNTRUSTED = "delete it unless you trust who made it"
EXPORT_MODEL = "export the model from COLMAP again"
EXPORT_SPLATS = "export the splats again"

REMEDIES: tuple[tuple[type[OSError], str], ...] = (
    (PermissionError, "give your user the right to read it"),
    (FileNotFoundError, "it was moved or deleted: open the run again"),
    (IsADirectoryError, "a file belongs in its place"),
)


def cannot_open(error: OSError, what: str = "file") -> str:
    """The sentence for a file or folder that the operating system does not hand out."""
    remedy = next((text for kind, text in REMEDIES if isinstance(error, kind)), "check its name and its disk")
    return f"this {what} cannot be opened ({error.strerror or error}); {remedy}"
