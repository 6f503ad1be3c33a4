/**
 * Which campaign folders are owed: those of which a file that they prove changed since the commit at which they last passed.
 * `tests/proven.json` holds these commits. Work is on main, so there is no branch to compare with.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type CampaignFolder, isProvenBy } from './proves.ts'
import { root } from './suites.ts'

const provenPath = path.join(root, 'tests/proven.json')

/** For each folder the commit at which it last passed as a whole. */
export type Proven = Record<string, string>

export interface Owed {
  folder: CampaignFolder
  /** The files whose change makes it owed; undefined where its last commit is not known here. */
  changed: readonly string[] | undefined
  /** Commits since the first that makes it owed, or since the folder is there; 0 where that is not known. */
  commits: number
}

/** A folder is no longer postponed when it has been owed for more commits than these. */
export const maxOwedCommitsLength = 100
/** These prove money and tenancy: they run first, whatever they cost. */
export const foremost = ['races', 'kills', 'simulator']

export const readProven = (): Proven => JSON.parse(readFileSync(provenPath, 'utf8')) as Proven

/** Notes that a folder passed at a commit. */
export function writeProven(name: string, commit: string): void {
  const proven = Object.entries({ ...readProven(), [name]: commit })
  const sorted = Object.fromEntries(proven.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(provenPath, `${JSON.stringify(sorted, null, 2)}\n`)
}

/**
 * Those which are owed, in the order in which they are to run: money and tenancy, then those whose tests changed, then the cheapest.
 * `checkout` is a folder under git.
 */
export function owedOf(
  folders: readonly CampaignFolder[],
  proven: Proven = readProven(),
  checkout: string = root,
): Owed[] {
  const owed = folders.flatMap((folder): Owed[] => {
    const commit = proven[folder.name]
    const changed = commit === undefined ? undefined : changedSince(checkout, commit)
    if (commit === undefined || changed === undefined)
      return [{ folder, changed: undefined, commits: commitsSinceAdded(checkout, folder) }]
    const relevant = changed.filter((file) => isProvenBy(folder, file))
    if (!relevant.length) return []
    return [{ folder, changed: relevant, commits: commitsSince(checkout, commit, relevant) }]
  })
  return owed.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.folder.minutes - other.folder.minutes,
  )
}

function rankOf({ folder, changed }: Owed): number {
  if (foremost.includes(folder.name)) return foremost.indexOf(folder.name)
  const isOwn = changed?.some((file) => file.startsWith(`tests/campaign/${folder.name}/`))
  return foremost.length + (isOwn ? 0 : 1)
}

/** Undefined where the commit is unknown: no git, or a checkout without its history. */
function changedSince(checkout: string, commit: string): string[] | undefined {
  try {
    // Renames are named by both of their paths: what a folder proved may have moved away from it.
    return git(checkout, 'diff', '--name-only', '--no-renames', commit, 'HEAD').split('\n').filter(Boolean)
  } catch {
    return undefined
  }
}

function commitsSince(checkout: string, commit: string, files: readonly string[]): number {
  const touching = git(checkout, 'rev-list', '--reverse', `${commit}..HEAD`, '--', ...files).split('\n')[0]
  return touching ? Number(git(checkout, 'rev-list', '--count', `${touching}^..HEAD`)) : 0
}

/** Of a folder that never passed: since it is there. */
function commitsSinceAdded(checkout: string, { name }: CampaignFolder): number {
  try {
    const file = `tests/campaign/${name}/proves.ts`
    const added = git(checkout, 'log', '--diff-filter=A', '--format=%H', '--', file).split('\n').at(-1)
    return added ? Number(git(checkout, 'rev-list', '--count', `${added}..HEAD`)) : 0
  } catch {
    return 0
  }
}

export interface Checkout {
  commit: string
  /** Whether anything that is checked out differs from it, or is unknown to git; but for what runs themselves write. */
  isChanged: boolean
}

/** Of a folder that is not under git, nothing is known. */
export function currentCheckout(): Checkout {
  const written = [':!tests/proven.json', ':!tests/voids.json']
  try {
    return {
      commit: git(root, 'rev-parse', 'HEAD'),
      isChanged: git(root, 'status', '--porcelain', '--untracked-files=all', '--', '.', ...written) !== '',
    }
  } catch {
    return { commit: '', isChanged: true }
  }
}

function git(cwd: string, ...words: string[]): string {
  return execFileSync('git', words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  }).trim()
}
