"""Where instances written by others stand, and a quick way to read SMPS text."""

from pathlib import Path

import pytest

from neurprise.io import read
from tests.io.tiny_smps import write_smps

SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data():
    """The folder of real instances; tests that need it are skipped where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real instances (../shared/data) are not here")
    return SHARED_DATA


@pytest.fixture
def read_smps(tmp_path):
    """Reads core, time and stoch text, each with a default."""

    def read_text(**texts_and_options):
        texts = {key: texts_and_options.pop(key) for key in ("core", "time", "stoch") if key in texts_and_options}
        return read(write_smps(tmp_path, **texts), **texts_and_options)

    return read_text
