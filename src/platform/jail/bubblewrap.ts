import path from 'node:path'

/** What a jailed process sees: nothing of the machine beside it. */
export interface JailView {
  /** Files and folders of the machine, by where they stand within. Read-only. */
  readable: readonly { from: string; to: string }[]
  /** Files that exist in the jail only, each from an open descriptor. */
  files: readonly { descriptor: number; to: string }[]
  /** Folders of the machine that it may write to. */
  writable?: readonly { from: string; to: string }[]
  /** Folders in memory, with the bytes that each may hold. */
  memory?: readonly { to: string; bytes: number }[]
}

/**
 * The words of bubblewrap. The program is the first of a namespace of processes, so that its end is that of everything in it, and sees an empty
 * file system with what is named here, no network, no other process and no capability. `as`: by whom it runs; a server that is root makes
 * the view itself, which needs no user namespace, and then leaves its user for one that owns nothing.
 */
export function bubblewrapWords(
  { readable, files, writable = [], memory = [] }: JailView,
  as: 'root' | 'user',
  descriptors: { filter: number; info: number },
  { outlivesUs = false }: { outlivesUs?: boolean } = {},
): string[] {
  const places = [...readable, ...writable, ...memory, ...files].map(({ to }) => to)
  return [
    ...(as === 'user' ? ['--unshare-user'] : []),
    ...['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(outlivesUs ? [] : ['--die-with-parent']),
    ...['--new-session', '--as-pid-1', '--hostname', 'jail', '--clearenv', '--chdir', '/'],
    ...['--seccomp', String(descriptors.filter), '--info-fd', String(descriptors.info)],
    // bubblewrap creates the parent folders of what it mounts, for root only without another mode.
    ...foldersAbove([...places, '/dev/null']).flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    ...readable.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...files.flatMap(({ descriptor, to }) => ['--perms', '0444', '--file', String(descriptor), to]),
    ...writable.flatMap(({ from, to }) => ['--bind', from, to]),
    ...memory.flatMap(({ to, bytes }) => ['--perms', '1777', '--size', String(bytes), '--tmpfs', to]),
    ...['null', 'zero', 'random', 'urandom'].flatMap((device) => [
      '--dev-bind',
      `/dev/${device}`,
      `/dev/${device}`,
    ]),
    ...['--remount-ro', '/'],
  ]
}

/** Outermost first. */
export function foldersAbove(places: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const place of places)
    for (let folder = path.dirname(place); folder !== path.dirname(folder); folder = path.dirname(folder))
      folders.add(folder)
  return [...folders].sort((a, b) => a.length - b.length)
}
