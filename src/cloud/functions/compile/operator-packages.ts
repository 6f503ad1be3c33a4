/**
 * Packages that the operator lets functions import beside the platform's own. They are installed once, by the package manager and without
 * running anything of them; compiling a function reads them there and reaches no network.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'

export interface OperatorPackage {
  name: string
  /** The exact version. */
  version: string
}

/** The folder of a list. Each list has its own, so that a running server keeps the packages that it was started with. */
function folderOf(dataDir: string, packages: readonly OperatorPackage[]): string {
  const list = packages.map(({ name, version }) => `${name}@${version}`).sort()
  const id = createHash('sha256').update(JSON.stringify(list)).digest('hex').slice(0, 16)
  return path.resolve(dataDir, 'function-packages', id)
}

/** The folder of the packages, its links followed; undefined where this list is not installed. */
export const installedPackages = (
  dataDir: string,
  packages: readonly OperatorPackage[],
): Promise<string | undefined> => realpath(folderOf(dataDir, packages)).catch(() => undefined)

export type InstallResult = { folder: string } | { failed: string }

const maxMs = 10 * 60 * 1000

/** Installs the packages. May run any number of times; what is installed already stays. `failed`: what the package manager said. */
export async function installPackages(
  dataDir: string,
  packages: readonly OperatorPackage[],
  signal: AbortSignal,
): Promise<InstallResult> {
  const folder = folderOf(dataDir, packages)
  if (await installedPackages(dataDir, packages)) return { folder }
  await mkdir(path.dirname(folder), { recursive: true })
  const draft = await mkdtemp(`${folder}.`)
  try {
    const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]))
    await writeFile(path.join(draft, 'package.json'), JSON.stringify({ private: true, dependencies }))
    const failed = await install(draft, AbortSignal.any([signal, AbortSignal.timeout(maxMs)]))
    signal.throwIfAborted()
    if (failed !== undefined) return { failed }
    for (const { name, version } of packages) {
      const found = await versionIn(draft, name)
      if (found !== version) return { failed: `${name}@${version}: ${found ?? '–'}` }
    }
    // The process that compiles may run as another user of the machine.
    await openForReading(draft)
    await rename(draft, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    return { folder }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function versionIn(folder: string, name: string): Promise<string | undefined> {
  const file = path.join(folder, 'node_modules', name, 'package.json')
  const about = await readFile(file, 'utf8').catch(() => undefined)
  return about === undefined ? undefined : (JSON.parse(about) as { version?: string }).version
}

const npmArguments = [
  ...['install', '--ignore-scripts', '--omit=dev', '--no-bin-links', '--install-strategy=hoisted'],
  ...['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=error'],
]

async function install(folder: string, signal: AbortSignal): Promise<string | undefined> {
  const child = spawn('npm', npmArguments, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], signal })
  const ended = once(child, 'close').catch((error: Error) => [error.message])
  const [errorOutput, [code]] = await Promise.all([text(child.stderr).catch(() => ''), ended])
  return code === 0 ? undefined : errorOutput.trim().slice(-2_000) || `npm: ${code}`
}

async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isDirectory() || entry.isFile())
      await chmod(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}
