"""What the server or its client says → StoreError, in words."""

from __future__ import annotations

from pointsman.domain.said import Said, said
from pointsman.ports.job_store import StoreError

_WORDS: dict[str, tuple[str, str]] = {
    "OOM": ("has no memory left (maxmemory)", "内存已满（maxmemory）"),
    "MISCONF": ("cannot write to its disk", "无法写入磁盘"),
    "READONLY": ("is a replica now and takes no writes", "现在是只读副本，不接受写入"),
    "MASTERDOWN": ("is a replica that has lost its primary", "是失去主节点的副本"),
    "LOADING": ("is still loading its data", "仍在加载数据"),
    "BUSY": ("is busy with a script of somebody else's", "正忙于执行别的脚本"),
    "NOREPLICAS": ("has too few replicas (min-replicas-to-write)", "副本数量不足（min-replicas-to-write）"),
    "CLUSTERDOWN": ("is a cluster that is down", "所在的集群不可用"),
    "TRYAGAIN": ("is moving the slot to another node", "正在把槽迁移到其他节点"),
    "NOAUTH": ("wants a password", "需要密码"),
    "WRONGPASS": ("refuses user or password", "拒绝了用户名或密码"),
    "NOPERM": ("does not permit it to this user", "不允许该用户这样做"),
}
_KINDS: dict[str, str] = {
    "OutOfMemoryError": "OOM",
    "ReadOnlyError": "READONLY",
    "MasterDownError": "MASTERDOWN",
    "BusyLoadingError": "LOADING",
    "ClusterDownError": "CLUSTERDOWN",
    "SlotNotCoveredError": "CLUSTERDOWN",
    "TryAgainError": "TRYAGAIN",
    "AuthenticationError": "WRONGPASS",
    "AuthenticationWrongNumberOfArgsError": "WRONGPASS",
    "NoPermissionError": "NOPERM",
}
"""Of errors whose text the client has taken the code from."""
_GONE = (
    *("ConnectionError", "TimeoutError", "OSError", "MaxConnectionsError"),
    *("RedisClusterException", "ClusterError", "AttributeError"),
)


def explained(error: Exception, where: str) -> StoreError:
    """`where` is the server, without user and password."""
    return StoreError(
        said("the job store at {where} {what}", "任务存储 {where} {what}", where=where, what=_what(error))
    )


def unconfirmed(where: str, got: int, wanted: int) -> StoreError:
    return StoreError(
        said(
            "the job store at {where}: written, but not confirmed by a replica ({got} of {wanted})",
            "任务存储 {where}：已写入，但没有得到副本的确认（{got}/{wanted}）",
            where=where,
            got=got,
            wanted=wanted,
        )
    )


def closed() -> StoreError:
    return StoreError(Said("the job store is closed", "任务存储已关闭"))


def _what(error: Exception) -> Said:
    names = [kind.__name__ for kind in type(error).__mro__]
    code = next((_KINDS[name] for name in names if name in _KINDS), str(error).partition(" ")[0])
    if "unauthenticated" in str(error) or (code == "WRONGPASS" and "required" in str(error)):
        code = "NOAUTH"
    if code in _WORDS:
        return Said(*_WORDS[code])
    if any(name in _GONE for name in names):
        return Said("cannot be reached", "无法连接")
    return said("cannot do it: {error}", "无法完成操作：{error}", error=str(error)[:300])
