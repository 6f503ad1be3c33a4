import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const prefix = 'kherad-f-'
/** The path of a socket has at most 107 bytes, some of them below this folder. */
const maxFolderLength = 60

/**
 * The folder of the sockets of this server's functions, made when it is first asked for. Its name has the id of the process that made it, so that a
 * later start deletes what a killed one has left.
 */
export class RunFolder implements AsyncDisposable {
  #made: Promise<string> | undefined
  #next = 0

  /** A new folder within it, for one process of functions. */
  async sub(): Promise<string> {
    this.#made ??= this.#make()
    const folder = path.join(await this.#made, String(this.#next++))
    await mkdir(folder, { mode: 0o700 })
    return folder
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#made) await rm(await this.#made, { recursive: true, force: true })
  }

  /** Makes the folder. Where that fails, on a full disk perhaps, the next caller tries again. */
  async #make(): Promise<string> {
    try {
      return await mkdtemp(
        path.join(root(), `${prefix}${process.pid}-${processStartTime(process.pid) ?? 0}-`),
      )
    } catch (error) {
      this.#made = undefined
      throw error
    }
  }
}

function root(): string {
  const folder = tmpdir()
  return folder.length > maxFolderLength ? '/tmp' : folder
}

/** Deletes the folders that killed servers have left. */
export async function sweepRunFolders(): Promise<void> {
  const names = await readdir(root()).catch(() => [])
  await Promise.all(
    names.map(async (name) => {
      const [, pid, start] = /^kherad-f-(\d+)-(\d+)-/.exec(name) ?? []
      if (pid === undefined || isRunning(Number(pid), start!)) return
      const folder = path.join(root(), name)
      const found = await stat(folder).catch(() => undefined)
      if (found && found.uid === process.getuid?.()) await rm(folder, { recursive: true, force: true })
    }),
  )
}

function isRunning(pid: number, start: string): boolean {
  if (pid === process.pid) return true
  const found = processStartTime(pid)
  if (found !== undefined) return found === start
  if (process.platform === 'linux') return false
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** When a process began, as the kernel counts: its id may have been given to another process since. */
function processStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
