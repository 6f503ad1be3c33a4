import { createHash } from 'node:crypto'
import { type AsyncZippable, type AsyncZippableFile, zip as zipFiles } from 'fflate'
import { isDeviceName } from '#platform/file-names'

export interface BundledFile {
  /** The relative path, with `/` between folders, as it is also in the manifest and in the archive. */
  path: string
  mediaType: string
  bytes: Uint8Array
  /** A title for people, in the language of the work. */
  title?: string
}

/** The content of a bundle's `manifest.json`: the files in the order in which they were made. */
export interface Manifest {
  files: ManifestEntry[]
}

export interface ManifestEntry {
  path: string
  media_type: string
  bytes: number
  sha256: string
  title?: string
}

export const manifestPath = 'manifest.json'

const limits = { files: 2_000, pathBytes: 240, bytes: 512 * 1024 * 1024 }

/** Describes what is wrong with a path, for logs. Returns undefined if every system can unpack it safely. */
export function pathFault(path: string): string | undefined {
  if (path === '') return 'it is empty'
  if (Buffer.byteLength(path) > limits.pathBytes) return 'it is too long'
  if (!path.isWellFormed() || path !== path.normalize('NFC')) return 'it is not in normal form'
  if (/[\p{Cc}\p{Bidi_Control}\\:*?"<>|]/u.test(path))
    return 'it holds a character that file names may not hold'
  if (path.startsWith('/')) return 'it is absolute'
  // The archiver stores its files in an object and would lose this one.
  if (path === '__proto__') return 'it is a name of the machine'
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'it leaves its folder'
    if (/^\s|[\s.]$/.test(part)) return 'a part of it begins or ends with a blank or a dot'
    if (isDeviceName(part)) return 'a part of it is the name of a device'
  }
  return undefined
}

export function manifestOf(files: readonly BundledFile[]): Manifest {
  checkFiles(files)
  return {
    files: files.map(({ path, mediaType, bytes, title }) => ({
      path,
      media_type: mediaType,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      ...(title && { title }),
    })),
  }
}

/** Formats that are already compressed; they are stored without compression. */
const packed = /^(?:image\/(?!svg)|audio\/|video\/|application\/(?:pdf|zip|gzip|vnd\.openxmlformats))/

/**
 * A ZIP of files with UTF-8 names; the same files and time give the same bytes. Throws a RangeError for a path that leaves the archive, for a path
 * that occurs twice (ignoring case, as most systems do), and for too many files or bytes.
 */
export function zip(files: readonly BundledFile[], dateMs: number): Promise<Uint8Array> {
  checkFiles(files)
  const mtime = tehranTime(dateMs)
  const tree: AsyncZippable = {}
  for (const { path, mediaType, bytes } of files)
    tree[path] = [bytes, { level: packed.test(mediaType) ? 0 : 6, mtime }] satisfies AsyncZippableFile
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  zipFiles(tree, (error, data) => (error ? reject(error) : resolve(data)))
  return promise
}

function checkFiles(files: readonly BundledFile[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  if (files.length > limits.files || bytes > limits.bytes) throw new RangeError('The bundle is too large.')
  const taken = new Set<string>()
  for (const { path } of files) {
    const fault = pathFault(path)
    if (fault) throw new RangeError(`${JSON.stringify(path)} cannot be bundled: ${fault}.`)
    const folded = path.toLowerCase()
    if (taken.has(folded)) throw new RangeError(`${JSON.stringify(path)} stands twice in the bundle.`)
    taken.add(folded)
  }
  checkFolders(taken)
}

/** Throws if a path is both a file and a folder: `a` and `a/b` cannot both be unpacked. */
function checkFolders(paths: ReadonlySet<string>): void {
  for (const path of paths)
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
      if (paths.has(path.slice(0, at)))
        throw new RangeError(`${JSON.stringify(path.slice(0, at))} is a file and a folder.`)
}

/** The time in Tehran as the local time that fflate reads, since ZIP times have no zone. The format begins in 1980; times before 1981 become 1981. */
function tehranTime(dateMs: number): Date {
  const parts = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: 'Asia/Tehran',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(Math.max(dateMs, Date.UTC(1981, 0, 1)))
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return new Date(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'))
}
