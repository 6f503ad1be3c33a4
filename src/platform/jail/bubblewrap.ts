import path from 'node:path'

/** What a jailed process sees: nothing of the machine beside it. */
export interface JailView {
  /** Files and folders of the machine, by where they stand within. Read-only. */
  readable: readonly { from: string; to: string }[]
  /** Files that exist in the jail only, each from an open descriptor. */
  files: readonly { descriptor: number; to: string }[]
}

/**
 * The words of bubblewrap. The program is the first of a namespace of processes, so that its end is that of everything in it, and sees an empty
 * file system with what is named here, no network, no other process and no capability. `as`: by whom it runs; a server that is root makes
 * the view itself, which needs no user namespace, and then leaves its user for one that owns nothing.
 */
export function bubblewrapWords(
  { readable, files }: JailView,
  as: 'root' | 'user',
  descriptors: { filter: number; info: number },
): string[] {
  const places = [...readable, ...files].map(({ to }) => to)
  return [
    ...(as === 'user' ? ['--unshare-user'] : []),
    ...['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...[
      '--die-with-parent',
      '--new-session',
      '--as-pid-1',
      '--hostname',
      'jail',
      '--clearenv',
      '--chdir',
      '/',
    ],
    ...['--seccomp', String(descriptors.filter), '--info-fd', String(descriptors.info)],
    // bubblewrap creates the parent folders of what it mounts, for root only without another mode.
    ...foldersAbove([...places, '/dev/null']).flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    ...readable.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...files.flatMap(({ descriptor, to }) => ['--perms', '0444', '--file', String(descriptor), to]),
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
