/**
 * The built folder of the console: what is in it, whether it fits the sources, and its build by a process of its own. It imports nothing of the
 * platform, since it also runs while packages are installed.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'

/** A file that pages load. Its name has a hash of its content, so that it never changes. */
export interface BuiltAsset {
  /** The name within `assets/`. */
  name: string
  mediaType: string
  /** The length in bytes of the file and of its compressed forms; a form that is not smaller is not there. */
  bytes: number
  br?: number
  gzip?: number
  /** The SHA-256 of the content, base64url. */
  digest: string
}

/** A script or a style with what it loads, for the tests of size. */
export interface BuiltChunk {
  /** The names of assets that are loaded with it: scripts that it imports, styles, itself. */
  loads: string[]
  /** The chunks that it loads later, by the path of their source. */
  later: string[]
}

/** What the file `console.json` of the built folder says. It is written last, at once, so that a reader finds a whole build. */
export interface Build {
  /** See `stampOf`. */
  stamp: string
  /** The HTML of each entry, in which `nonceMark` stands for the nonce of the answer. */
  pages: { shell: string; signIn: string }
  assets: BuiltAsset[]
  /** The assets of the build before this one, which open tabs may still load. */
  previous: BuiltAsset[]
  /** Entries and chunks by the path of their source. */
  chunks: Record<string, BuiltChunk>
}

export const nonceMark = 'KHERAD_NONCE'

/** The checkout or the release that this file belongs to. */
export const ownRoot = path.resolve(import.meta.dirname, '../../..')

export const builtFolder = (root: string): string => path.join(root, 'console', 'dist')

/** The build of a folder; undefined where there is none. */
export async function readBuild(root: string): Promise<Build | undefined> {
  try {
    return JSON.parse(await readFile(path.join(builtFolder(root), 'console.json'), 'utf8')) as Build
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A hash of all that a build is made of: the sources of the console, the script that builds it, and the lock file. */
export async function stampOf(root: string): Promise<string> {
  const files = globSync(
    ['console/**/*.{ts,tsx,css,html,svg,json}', 'scripts/console/*.ts', 'package-lock.json'],
    {
      cwd: root,
      exclude: (name) => name === 'dist' || name.endsWith('.test.ts') || name === 'node_modules',
    },
  )
  const hash = createHash('sha256')
  for (const file of files.map((name) => name.replaceAll(path.sep, '/')).toSorted())
    hash
      .update(`${file}\0`)
      .update(await readFile(path.join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

/** `fresh`: the build fits the sources; `built`: it was made now; `old`, `missing`: it is not, and `why` says what kept it from being made. */
export type BuildState = { state: 'fresh' | 'built' } | { state: 'old' | 'missing'; why: string }

/**
 * Builds the console if its build is missing or does not fit the sources. An installation without development packages cannot build: it serves the
 * build that its release brought.
 */
export async function buildIfStale(root: string = ownRoot): Promise<BuildState> {
  const build = await readBuild(root).catch(() => undefined)
  const stamp = await stampOf(root)
  if (build?.stamp === stamp) return { state: 'fresh' }
  const state = build ? 'old' : 'missing'
  if (!canBuild(root)) return { state, why: 'the development packages are not installed' }
  const why = await runBuild(root)
  return why === undefined ? { state: 'built' } : { state, why }
}

/** Whether the development packages are installed. */
export function canBuild(root: string): boolean {
  const { resolve } = createRequire(path.join(root, 'package.json'))
  try {
    return Boolean(resolve('vite/package.json') && resolve('react/package.json') && resolve('@mantine/core'))
  } catch {
    return false
  }
}

/** Builds in a process of its own, whose memory goes with it. Returns why that failed. */
function runBuild(root: string): Promise<string | undefined> {
  const script = path.join(root, 'scripts', 'console', 'build.ts')
  const child = spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000)
  })
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code) => resolve(code === 0 ? undefined : said.trim() || `it ended with ${code}`))
  })
}
