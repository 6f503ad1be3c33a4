/** The first of the users that own nothing. They are far above those that systems assign, and below 2^31, beyond which some programs cannot count. */
const firstUser = 1_000_000_000
/** The number of users for one server; its process id distinguishes servers of one machine. */
const usersOfServer = 256

export interface Users {
  take(): { id: number | undefined } & Disposable
}

/** Gives each jail a user of its own, so that jails cannot access each other's things even if a namespace fails; only root can do this. */
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
