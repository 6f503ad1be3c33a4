import path from 'node:path'

/** What a jailed process sees; nothing else of the machine is visible. */
export interface JailView {
  /** Files and folders of the machine, with their paths in the jail. Read-only. */
  readable: readonly { from: string; to: string }[]
  /** Files that exist only in the jail, each from an open descriptor. */
  files: readonly { descriptor: number; to: string }[]
  /** Folders of the machine that the process may write to. */
  writable?: readonly { from: string; to: string }[]
  /** Folders in memory, with the maximum bytes of each. */
  memory?: readonly { to: string; bytes: number }[]
}

/**
 * The arguments of bubblewrap. The program is the first process of its namespace, so that all processes in it end with it. It sees an empty file
 * system with what is named here, no network, no other process, and has no capability. `as` is the user who runs it; a server that is root makes the
 * view itself, which needs no user namespace, and then changes to a user that owns nothing.
 */
export function bubblewrapArgs(
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
    // bubblewrap creates the parent folders of what it mounts, accessible only to root unless another mode is given.
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

/** The folders above these places, outermost first. */
export function foldersAbove(places: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const place of places)
    for (let folder = path.dirname(place); folder !== path.dirname(folder); folder = path.dirname(folder))
      folders.add(folder)
  return [...folders].sort((a, b) => a.length - b.length)
}
