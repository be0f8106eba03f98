"""CRC-32C (Castagnoli), the checksum of TensorBoard's records."""

POLYNOMIAL = 0x82F63B78  # reflected (RFC 3720, appendix B.4)


def _entry(value: int) -> int:
    for _ in range(8):
        value = (value >> 1) ^ (POLYNOMIAL if value & 1 else 0)
    return value


TABLE = tuple(_entry(value) for value in range(256))


def crc32c(data: bytes) -> int:
    """The checksum of `data`, 0 ≤ c < 2³²."""
    table, crc = TABLE, 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """The form in which a record stores it: rotated right by 15 bits, plus a constant (TensorFlow `lib/hash/crc32c.h`)."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
