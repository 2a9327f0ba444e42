"""Work whose module begins a thread when it is imported."""

from __future__ import annotations

import threading
import time

from actions.child.works import work as work

threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
