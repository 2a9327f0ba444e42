"""What is wrong with a gateway, by what can be measured: facts are gathered (`look/`), each within its time, and judged by
pure functions (`checks/`), one thing each."""
