/** Users of this machine that own nothing: far above those that systems give, and below 2^31, which some programs cannot count beyond. */
const firstUser = 1_000_000_000
/** Of one server; the number of its process distinguishes servers of one machine. */
const usersOfServer = 256

export interface Users {
  take(): { id: number | undefined } & Disposable
}

/** One user for each jail, so that nothing of one is another's even where a namespace would fail; only root can give them. */
export function openUsers(isRoot = process.getuid?.() === 0, pid = process.pid): Users {
  const taken = new Set<number>()
  return {
    take() {
      if (!isRoot) return { id: undefined, [Symbol.dispose]() {} }
      let slot = 0
      while (taken.has(slot)) slot++
      if (slot >= usersOfServer) throw new Error('all users of jails are taken')
      taken.add(slot)
      return {
        id: firstUser + pid * usersOfServer + slot,
        [Symbol.dispose]: () => void taken.delete(slot),
      }
    },
  }
}
