/** Saves creations: nothing is overwritten unasked, and no file is left half written. */
import { randomUUID } from 'node:crypto'
import { access, constants, copyFile, link, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { CommandRefused, refuse } from '../../command.ts'
import { studioPhrases as words } from './phrases.ts'

export interface OutputTarget {
  folder: string
  /** The name without number and ending. */
  stem: string
  /** The ending that was typed. */
  ending?: string
  /** True where the name was typed; else a free name is found. */
  isNamed: boolean
  force: boolean
}

/** File endings by the type of the bytes; the first is written where none of them was typed. */
const endings: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
  'image/svg+xml': ['svg'],
  'audio/mpeg': ['mp3'],
  'audio/wav': ['wav'],
  'audio/pcm': ['pcm'],
  'video/mp4': ['mp4'],
  'application/x-subrip': ['srt'],
  'text/vtt': ['vtt'],
  'text/plain': ['txt'],
  'application/json': ['json'],
}

export const isKnownType = (mediaType: string): boolean => Object.hasOwn(endings, mediaType)

const typeOf = (ending: string | undefined): string | undefined =>
  Object.keys(endings).find((type) => ending !== undefined && endings[type]?.includes(ending))

/** The format of the API that the typed name asks for. The ending `svg` asks for none, since vectors come from the models that draw them. */
export const formatOf = ({ ending }: OutputTarget): string | undefined =>
  ending === 'jpg' ? 'jpeg' : ending === 'svg' ? undefined : ending

/** The ending as it was typed where it fits the bytes, else the usual one. */
function endingOf({ ending }: OutputTarget, mediaType: string): string {
  const [usual = ''] = endings[mediaType] ?? []
  return ending !== undefined && typeOf(ending) === mediaType ? ending : usual
}

type OutputKind = 'image' | 'audio' | 'video' | 'transcript'

export interface SaveOptions {
  /** The words that name the file where no name was typed. */
  words: string
  count: number
  force: boolean
  kind: OutputKind
  /** The value of `--format`. */
  format: string | undefined
}

/**
 * Reads `--out` and prepares its folder, so that what cannot be saved is not ordered. Throws NOT_SAVED where nothing can be written, and EXISTS
 * for a named file that exists.
 */
export async function prepareTarget(out: string | undefined, options: SaveOptions): Promise<OutputTarget> {
  const place = await outputTargetOf(out, options)
  try {
    await mkdir(place.folder, { recursive: true })
    await access(place.folder, constants.W_OK | constants.X_OK)
    if (place.isNamed)
      for (const target of expectedFiles(place, options)) await requireFree(target, place.force)
  } catch (error) {
    throw notSaved(place.folder, error)
  }
  return place
}

async function outputTargetOf(
  out: string | undefined,
  { words, kind, force }: SaveOptions,
): Promise<OutputTarget> {
  const unnamed = { stem: stemOf(words), isNamed: false, force }
  if (out === undefined) return { folder: '.', ...unnamed }
  const isFolder = out.endsWith('/') || (await stat(out).catch(() => undefined))?.isDirectory() === true
  if (isFolder) return { folder: out, ...unnamed }
  const { dir, base, name, ext } = path.parse(out)
  const ending = ext.slice(1).toLowerCase()
  const isKnown = isOfKind(kind, typeOf(ending))
  const named = { folder: dir || '.', stem: isKnown ? name : base, isNamed: true, force }
  return isKnown ? { ...named, ending } : named
}

const transcripts = ['application/x-subrip', 'text/vtt', 'text/plain', 'application/json']
const isOfKind = (kind: OutputKind, type = ''): boolean =>
  kind === 'transcript' ? transcripts.includes(type) : type.startsWith(`${kind}/`)

const usualTypes: Record<OutputKind, string> = {
  image: 'image/png',
  audio: 'audio/mpeg',
  video: 'video/mp4',
  transcript: 'application/x-subrip',
}

/** The files that an order makes, as far as the command says; what comes may still be of another type. */
function expectedFiles(place: OutputTarget, { count, kind, format }: SaveOptions): string[] {
  const ending = endingOf(place, typeOf(format ?? place.ending) ?? usualTypes[kind])
  return Array.from({ length: count }, (_, index) =>
    path.join(place.folder, numbered(place.stem, index, count, ending)),
  )
}

async function requireFree(target: string, force: boolean): Promise<void> {
  const found = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (found && (!force || found.isDirectory())) refuse('EXISTS', words.exists(target))
}

const numbered = (stem: string, index: number, count: number, ending: string): string =>
  `${stem}${count > 1 ? `-${index + 1}` : ''}.${ending}`

const maxStemCharacters = 40
const maxStemWords = 6

/** The first words as the stem of a name, of letters and digits only: `گلی-در-باران`. */
export function stemOf(prompt: string, now = new Date()): string {
  const found = prompt.normalize('NFC').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const stem = [...found.slice(0, maxStemWords).join('-')].slice(0, maxStemCharacters).join('')
  return stem.replace(/-$/, '') || `kherad-${now.toISOString().slice(0, 10)}`
}

export interface Creation {
  bytes: Uint8Array
  mediaType: string
}

/** Writes all creations; returns their paths. Throws EXISTS and NOT_SAVED. */
export async function saveAll(
  place: OutputTarget,
  creations: readonly Creation[],
  count: number,
): Promise<string[]> {
  const saved: string[] = []
  for (const [index, { bytes, mediaType }] of creations.entries()) {
    const name = numbered(place.stem, index, count, endingOf(place, mediaType))
    saved.push(await saveOne(place, name, [bytes]))
  }
  return saved
}

type ByteChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Writes one creation as its bytes come; returns its path. Throws EXISTS and NOT_SAVED, and what `pieces` throws: in that case there is no file. */
export const saveStream = (place: OutputTarget, mediaType: string, pieces: ByteChunks): Promise<string> =>
  saveOne(place, numbered(place.stem, 0, 1, endingOf(place, mediaType)), pieces)

async function saveOne(
  { folder, isNamed, force }: OutputTarget,
  name: string,
  pieces: ByteChunks,
): Promise<string> {
  let lost: { error: unknown } | undefined
  async function* arriving(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces
    } catch (error) {
      lost = { error }
      throw error
    }
  }
  const part = path.join(folder, `.kherad-${randomUUID()}.part`)
  const target = path.join(folder, name)
  try {
    await writePart(part, arriving())
    if (!force) return await giveFinalName(part, target, isNamed)
    await rename(part, target)
    return target
  } catch (error) {
    throw lost ? lost.error : notSaved(target, error)
  } finally {
    await rm(part, { force: true })
  }
}

async function writePart(part: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await using file = await open(part, 'wx')
  for await (const piece of pieces) await file.writeFile(piece)
  await file.sync()
}

const maxNumber = 10_000

/** Gives the bytes their name, or the next free one. A link never replaces a file. */
async function giveFinalName(part: string, target: string, isNamed: boolean): Promise<string> {
  const { dir, name, ext } = path.parse(target)
  for (let number = 1; number <= maxNumber; number++) {
    const place = number === 1 ? target : path.join(dir, `${name}-${number}${ext}`)
    try {
      await linkOrCopy(part, place)
      return place
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (isNamed) break
    }
  }
  return refuse('EXISTS', words.exists(target))
}

const noLinkErrors = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Links the file, or copies it where the file system has no links, such as that of a USB stick. */
async function linkOrCopy(part: string, place: string): Promise<void> {
  try {
    await link(part, place)
  } catch (error) {
    if (!noLinkErrors.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    await copyFile(part, place, constants.COPYFILE_EXCL)
  }
}

function notSaved(place: string, error: unknown): CommandRefused {
  if (error instanceof CommandRefused) return error
  return new CommandRefused('NOT_SAVED', words.notSaved(place, (error as Error).message), 1)
}
