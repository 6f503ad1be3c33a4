import { type AddressOf, Connections, openWatcherPool } from './connections.ts'
import type { DatabaseSize } from './size.ts'
import { DatabaseWatch, type WatchOptions } from './watch/watch.ts'

export interface WatchedOptions extends Omit<WatchOptions, 'pool' | 'size'> {
  addressOf: AddressOf
  size: Pick<DatabaseSize, 'diskBytes' | 'connections'>
  /** Called when the server no longer accepts the password of a role. */
  lockedOut?: () => void
}

export interface Watched {
  connections: Connections
  watch: DatabaseWatch
  end(): Promise<void>
}

/** The connections of a process to a database, and the watch over what they do. */
export function openWatched({ addressOf, size, lockedOut, ...options }: WatchedOptions): Watched {
  const watcher = openWatcherPool(addressOf)
  const watch = new DatabaseWatch({ ...options, pool: watcher, size })
  const connections = new Connections({ addressOf, size, watch, lockedOut })
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
