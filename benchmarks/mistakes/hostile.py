"""Files that nobody should be handed: what each does, and what the command says of it.

A name, the file, and a word of the first of the two lines; "" where the demo is played to its end
(the file did no harm, or only its own part stopped).
"""

from __future__ import annotations

# every file has a task, so that the command goes as far as it can
TASK = '''
import numpy as np
def softmax(x):
    {body}
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
'''


def in_task(body: str) -> str:
    return TASK.replace("{body}", body)


HOSTILE: dict[str, tuple[str, str]] = {
    "loop_on_top": ("while True: pass\n", "longer than"),
    "loop_in_a_task": (in_task("while True: pass"), "longer than"),
    "loop_that_catches_everything": (
        "while True:\n    try:\n        while True: pass\n"
        "    except BaseException:\n        pass\n",
        "longer than"),
    "a_product_that_holds_the_lock": ("x = 9 ** (9 ** 9)\n", "longer than"),
    "memory_in_a_list": ("x = []\nwhile True: x.append(bytearray(10**8))\n", "MemoryError"),
    "memory_in_an_array": (in_task("np.ones((2**34,))"), ""),
    "exit": ("import sys\nsys.exit(0)\n", "SystemExit"),
    "exit_in_a_task": (in_task("raise SystemExit"), ""),
    "exit_at_once": ("import os\nos._exit(0)\n", "ended its process with exit code 0"),
    "a_crash": ("import ctypes\nctypes.string_at(0)\n", "ended its process by signal 11"),
    "a_signal": ("import signal\nsignal.raise_signal(signal.SIGKILL)\n", "by signal 9"),
    "endless_output": ("while True: print('x' * 10**5)\n", "printed more than"),
    "output_past_print": ("import os\nwhile True: os.write(1, b'y' * 10**5)\n", "printed more"),
    "recursion": (in_task("return softmax(x)"), ""),
    "threads_that_never_end": (
        "import threading, time\nfor _ in range(20):\n"
        "    threading.Thread(target=lambda: [time.sleep(1) for _ in iter(int, 1)]).start()\n"
        + in_task("pass"), ""),
    "processes_without_end": ("import os\nwhile True: os.fork()\n", "PermissionError"),
    "a_process_that_stays": (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n",
        "PermissionError"),
    "a_file_overwritten": (
        "import demos\nopen(demos.__path__[0] + '/d04_attention/pins.json', 'w').write('{}')\n",
        "PermissionError"),
    "our_objects_changed": (
        "import lecture.report as r, lecture.margins as m, demos\n"
        "r.value_of = lambda *a, **k: 1.0\nm.above = m.below = m.both = lambda *a: 1.0\n"
        "r.Result.good = property(lambda self: True)\ndemos.REGISTRY = ()\n"
        + in_task("x = x * 0 + 1"), ""),
    "our_function_from_our_module": (
        "import attention_np\nattention_np.softmax = lambda x, axis=-1: x\n"
        "attention_np.causal_mask = None\n" + in_task("pass"), ""),
    "asks_for_input": ("name = input('who are you? ')\n", "EOFError"),
    "no_python": ("def softmax(x:\n", "SyntaxError"),
    "what_a_terminal_obeys": ("raise ValueError('\\x1b[2J\\x1b]0;gone\\x07')\n", "ValueError"),
    "infinite_numbers": (in_task("return x * float('inf')"), ""),
    "words_for_numbers": (in_task("return 'one'"), ""),
}
