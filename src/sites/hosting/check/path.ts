/** What the path of a file may be, such as `blog/first.html`. */

export const pathBounds = { bytes: 1_024, segmentBytes: 255 }

/** Why a path is refused. */
export type PathFault =
  | 'empty'
  | 'long'
  | 'longSegment'
  | 'absolute'
  | 'backslash'
  | 'control'
  | 'direction'
  | 'surrogate'
  | 'escape'
  | 'composed'
  | 'emptySegment'
  | 'dots'
  | 'hidden'
  | 'dependencies'

/** Faults of the characters themselves: such a path is not repeated in an error. */
export const unprintableFaults: ReadonlySet<PathFault> = new Set([
  'control',
  'direction',
  'surrogate',
  'long',
  'longSegment',
])

/** Folders of package managers: published by mistake, and never meant for visitors. */
const dependencyFolders = new Set(['node_modules', 'bower_components', 'jspm_packages'])

const wellKnown = '.well-known'

/** The first fault of a path. A path without one stands for itself: a URL of it, decoded once, means just this path. */
export function pathFault(path: string): PathFault | undefined {
  if (path === '') return 'empty'
  if (Buffer.byteLength(path) > pathBounds.bytes) return 'long'
  return faultOfCharacters(path) ?? (path.startsWith('/') ? 'absolute' : faultOfSegments(path.split('/')))
}

function faultOfCharacters(path: string): PathFault | undefined {
  if (!path.isWellFormed()) return 'surrogate'
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(path)) return 'control'
  // U+200C, which Persian words need, is none of these.
  if (/\p{Bidi_Control}/u.test(path)) return 'direction'
  if (path.includes('\\')) return 'backslash'
  if (/%[0-9a-f]{2}/i.test(path)) return 'escape'
  return path.normalize('NFC') === path ? undefined : 'composed'
}

function faultOfSegments(segments: readonly string[]): PathFault | undefined {
  for (const [index, segment] of segments.entries()) {
    if (segment === '') return 'emptySegment'
    if (segment === '.' || segment === '..') return 'dots'
    const isWellKnown = index === 0 && segment === wellKnown && segments.length > 1
    if (segment.startsWith('.') && !isWellKnown) return 'hidden'
    if (dependencyFolders.has(foldPath(segment))) return 'dependencies'
    if (Buffer.byteLength(segment) > pathBounds.segmentBytes) return 'longSegment'
  }
  return undefined
}

/**
 * A key that is equal for paths which differ in case only: a file system or a person takes them for the same. Capitals come first, so that letters
 * with two small forms are one.
 */
export const foldPath = (path: string): string => path.toUpperCase().toLowerCase().normalize('NFC')

/** Finds paths that cannot stand beside those that came before. */
export class PathSet {
  readonly #files = new Map<string, number>()
  /** Folders, each with the file that is in it. */
  readonly #folders = new Map<string, number>()

  /** Adds a path. Returns the index of the file that it collides with: both are the same file, or one is the other's folder. */
  add(path: string, index: number): { of: number; kind: 'twice' | 'folder' } | undefined {
    const key = foldPath(path)
    const same = this.#files.get(key)
    if (same !== undefined) return { of: same, kind: 'twice' }
    const inside = this.#folders.get(key)
    if (inside !== undefined) return { of: inside, kind: 'folder' }
    for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
      const file = this.#files.get(key.slice(0, at))
      if (file !== undefined) return { of: file, kind: 'folder' }
    }
    this.#files.set(key, index)
    for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1))
      if (!this.#folders.has(key.slice(0, at))) this.#folders.set(key.slice(0, at), index)
    return undefined
  }
}
