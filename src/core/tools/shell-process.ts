/** Runs one script in a shell that lives in memory: no files of the host, no network, no programs. bash.ts starts this process. */
import { Bash, type CommandName, getCommandNames, type IFileSystem } from 'just-bash'
import { runConfinedWork } from '#platform/confined-process'
import type { ShellAnswer, ShellFile, ShellWork } from './bash.ts'

/** `sqlite3` would need a thread of its own. Network, Python and JavaScript are off unless they are switched on. */
const commands = getCommandNames().filter((name) => name !== 'sqlite3') as CommandName[]

/** Folders that every shell makes anew. */
const ownFolders = ['/bin', '/usr', '/dev', '/proc']

async function run({ command, state, timeZone, limits }: ShellWork): Promise<ShellAnswer> {
  const shell = new Bash({
    cwd: '/home/user',
    env: { HOME: '/home/user', TZ: timeZone },
    commands,
    defenseInDepth: { enabled: true },
    executionLimits: {
      maxExecutionTimeMs: limits.timeMs,
      maxFileSystemBytes: 2 * limits.fileBytes,
      maxOutputSize: limits.writtenBytes,
      maxStringLength: limits.valueBytes,
      maxLiveBytes: 8 * limits.fileBytes,
      maxInputBytes: 8 * limits.fileBytes,
      maxArchiveBytes: 2 * limits.fileBytes,
      maxArchiveEntryBytes: limits.fileBytes,
    },
  })
  await restore(shell.fs, state.files)
  const cwd = (await shell.fs.exists(state.folder)) ? state.folder : '/home/user'
  const { stdout, stderr, exitCode, env } = await shell.exec(command, { cwd })
  return {
    stdout: head(stdout, limits.outputCharacters),
    stderr: head(stderr, limits.outputCharacters),
    exitCode,
    folder: env['PWD'] ?? cwd,
    files: await collect(shell.fs, limits),
  }
}

async function restore(fs: IFileSystem, files: readonly ShellFile[]): Promise<void> {
  for (const { path, mode, folder, link, data } of files) {
    if (folder) await fs.mkdir(path, { recursive: true })
    else if (link !== undefined) await fs.symlink(link, path)
    else await fs.writeFile(path, Buffer.from(data ?? '', 'base64'))
    if (link === undefined) await fs.chmod(path, mode)
  }
}

/** All files outside the shell's own folders, folders before their content; undefined when it is too much to keep. */
async function collect(fs: IFileSystem, limits: ShellWork['limits']): Promise<ShellFile[] | undefined> {
  const files: ShellFile[] = []
  let bytes = 0
  for (const path of fs.getAllPaths().sort()) {
    if (path === '/' || ownFolders.some((own) => path === own || path.startsWith(`${own}/`))) continue
    const { isDirectory, isSymbolicLink, mode } = await fs.lstat(path)
    const content = isDirectory || isSymbolicLink ? undefined : await fs.readFileBuffer(path)
    bytes += path.length + (content?.length ?? 0)
    if (bytes > limits.fileBytes || files.length === limits.files) return undefined
    files.push({
      path,
      mode,
      ...(isDirectory && { folder: true }),
      ...(isSymbolicLink && { link: await fs.readlink(path) }),
      ...(content && { data: Buffer.from(content).toString('base64') }),
    })
  }
  return files
}

/** Replaces unpaired surrogates, whether they come from the script or the truncation: JSON parsers refuse them. */
const head = (text: string, characters: number): string =>
  text.length <= characters
    ? text.toWellFormed()
    : `${text.slice(0, characters).toWellFormed()}\n[… ${text.length - characters} more characters]`

await runConfinedWork<ShellWork>(run)
