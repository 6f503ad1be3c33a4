import { Connections, openWatcherPool, type RoleAddress } from './connections.ts'
import type { DatabaseSize } from './size.ts'
import { DatabaseWatch, type WatchOptions } from './watch/watch.ts'

export interface WatchedDatabaseOptions extends Omit<WatchOptions, 'pool' | 'size'> {
  addressOf: RoleAddress
  size: Pick<DatabaseSize, 'diskBytes' | 'connections'>
  /** Called when the server no longer accepts the password of a role. */
  onPasswordRejected?: () => void
}

export interface WatchedDatabase {
  connections: Connections
  watch: DatabaseWatch
  end(): Promise<void>
}

/** The connections of a process to a database, and the watch over what they do. */
export function openWatchedDatabase({
  addressOf,
  size,
  onPasswordRejected,
  ...options
}: WatchedDatabaseOptions): WatchedDatabase {
  const watcher = openWatcherPool(addressOf)
  const watch = new DatabaseWatch({ ...options, pool: watcher, size })
  const connections = new Connections({ addressOf, size, watch, onPasswordRejected })
  return {
    connections,
    watch,
    async end() {
      // Work that is still under way is watched until it has ended.
      await connections.close()
      watch[Symbol.dispose]()
      await watcher.end()
    },
  }
}
