/** Forms with files (multipart/form-data, RFC 7578): each file is streamed to the spool and is not held in memory. */
import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { TSchema } from 'typebox'
import type { Config } from '#platform/config'
import { Failure, fail } from '#platform/errors'
import { type Spool, type SpoolFile, TooLargeError } from '#platform/spool'
import { ClientGone, drainBytes, refuseEncoded } from './body.ts'
import { type PartHead, readPartHeads } from './part-head.ts'
import { reasons } from './phrases.ts'

/** Configuration of a route that accepts a form with files. */
export interface UploadSpec<Fields extends TSchema = TSchema> {
  /**
   * The schema of the text fields, an object. Fields arrive as text and are read according to the schema: a list arrives as one field for each
   * member, called `name` or `name[]`, and a list of fixed values also as one field with commas between them, as some clients write it. An object of
   * texts and numbers arrives as one field for each member, called `name[member]`.
   */
  fields: Fields
  /**
   * The names of the parts that are files, with the maximum number of each. A part that may occur more than once may be called `name[]` too; `*`
   * stands for all parts with a file name. Empty for a form of texts alone. A file in any other part is refused by the name of that part.
   */
  files: Record<string, number>
  /** The maximum bytes of all files together, which an operator may set; more is answered with 413. */
  maxBytes: number | ((config: Config) => number)
  /** The maximum bytes of a text field; if absent, 16 KiB. */
  fieldBytes?: number
  /** The handler reads the files into memory, which is reserved for them as for a JSON body. */
  inMemory?: boolean
  /** The form may contain no file; the handler decides what is used instead. */
  isOptional?: boolean
}

/** The parsed form, with at least one file unless files are optional. Files are deleted when the request ends. */
export interface Upload<Fields = unknown> {
  fields: Fields
  /** The files in the order in which they were sent. */
  files: UploadedFile[]
}

export interface UploadedFile extends SpoolFile {
  /** The name of the file's part in `UploadSpec.files`. */
  part: string
  /** The file name as sent, without folders; only its length is checked. */
  name: string | undefined
  /** The media type as declared by the sender, without parameters and in lower case; not trustworthy. */
  mediaType: string
  /** The same as it was sent, with its parameters, such as the charset of a text. */
  contentType: string
}

/** Limits of the other parts, in bytes: texts, names and headers of parts. */
const usualFieldBytes = 16 * 1024
const partHeaderBytes = 8 * 1024
const partHeaders = 16
const nameBytes = 200
/** The allowance for boundaries, headers and fields, in bytes. */
const aroundBytes = 256 * 1024

export const isMultipart = ({ headers }: IncomingMessage): boolean =>
  /^multipart\/form-data\b/i.test(headers['content-type']?.trim() ?? '')

/**
 * Reads the whole form. A refused form is read to its end but not kept, so that the client gets its answer and the connection serves the next
 * request. Throws INVALID_REQUEST, BODY_TOO_LARGE, SPOOL_FULL, and ClientGone; then no file is left.
 */
export async function readUpload(
  message: IncomingMessage,
  { maxBytes, ...rest }: UploadSpec,
  { spool, config }: { spool: Spool; config: Config },
): Promise<Upload> {
  refuseEncoded(message)
  const spec = { ...rest, maxBytes: typeof maxBytes === 'number' ? maxBytes : maxBytes(config) }
  // The client disconnected before anything was read.
  if (message.destroyed && !message.readableEnded) throw new ClientGone()
  const arrival = arrivalOf(message, spec.maxBytes)
  const form = new Form(message, spec, spool)
  try {
    await Promise.race([form.refused, arrival.over, arrival.arrived.then(() => form.finished)])
    return await form.upload()
  } catch (error) {
    await form.discard(error)
    message.resume()
    await arrival.arrived
    throw error
  }
}

/** Promises for the end of the message and for the moment at which the limit is exceeded. */
function arrivalOf(
  message: IncomingMessage,
  maxBytes: number,
): { arrived: Promise<void>; over: Promise<never> } {
  const arrived = Promise.withResolvers<void>()
  const over = Promise.withResolvers<never>()
  let size = 0
  message.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes + aroundBytes) over.reject(tooLarge(maxBytes))
    if (size > maxBytes + drainBytes) message.destroy()
  })
  message.on('end', arrived.resolve)
  message.on('error', () => arrived.reject(new ClientGone()))
  message.on('close', () => {
    if (!message.readableEnded) arrived.reject(new ClientGone())
  })
  for (const { promise } of [arrived, over]) promise.catch(() => {})
  return { arrived: arrived.promise, over: over.promise }
}

/** A spec with the limit of this server. */
type ResolvedUploadSpec = UploadSpec & { maxBytes: number }

/** A file from the parser, which cuts it at the limit and reports that in `truncated`. */
type FileContent = Readable & { truncated?: boolean }

class Form {
  readonly finished: Promise<void>
  /** Rejects with the first error. */
  readonly refused: Promise<never>
  readonly #spec: ResolvedUploadSpec
  readonly #spool: Spool
  readonly #message: IncomingMessage
  readonly #parser: InstanceType<typeof Busboy>
  readonly #fields = new Map<string, string | string[] | Map<string, string>>()
  readonly #lists: ReadonlyMap<string, ListField>
  /** The fields that are objects, with the number of their members. */
  readonly #objects: ReadonlyMap<string, number>
  readonly #refuse: (error: unknown) => void
  readonly #contents: PassThrough[] = []
  readonly #fileWrites: Promise<UploadedFile>[] = []
  readonly #count = new Map<string, number>()
  /** The head of the part that comes. */
  #head: PartHead = {}

  constructor(message: IncomingMessage, spec: ResolvedUploadSpec, spool: Spool) {
    this.#message = message
    this.#spec = spec
    this.#lists = listsIn(spec)
    this.#objects = objectsIn(spec)
    this.#spool = spool
    const refused = Promise.withResolvers<never>()
    refused.promise.catch(() => {})
    this.refused = refused.promise
    this.#refuse = refused.reject
    const finished = Promise.withResolvers<void>()
    this.finished = finished.promise
    this.#parser = openParser(message, spec)
    // A form of fields alone (application/x-www-form-urlencoded) has no parts.
    if (isMultipart(message))
      readPartHeads(this.#parser, (head) => {
        this.#head = head
      })
    this.#parser
      // A part may have no name, whatever the parser's types say.
      .on('field', (name: string | undefined, value, nameCut, valueCut) =>
        this.#field(name ?? '', value, nameCut || valueCut),
      )
      .on('file', (name: string | undefined, content, fileName, _encoding, mediaType) => {
        const part = filePartName(spec, name ?? '', fileName)
        const { extendedName, contentType = mediaType } = this.#head
        const about = { name: (extendedName ?? fileName) || undefined, mediaType, contentType }
        if (part === undefined) this.#unknownFile(name ?? '', content)
        else this.#file({ ...about, part }, content)
      })
      .on('filesLimit', () => this.#tooMany(needed(spec)!))
      .on('fieldsLimit', () => this.#refuseInvalid(reasons.manyFields))
      .on('partsLimit', () => this.#refuseInvalid(reasons.manyFields))
      .on('error', () => this.#refuseInvalid(reasons.notMultipart))
      .on('finish', finished.resolve)
    message.pipe(this.#parser)
  }

  async upload(): Promise<Upload> {
    const files = await Promise.all(this.#fileWrites)
    const name = needed(this.#spec)
    const { maxBytes, isOptional = false } = this.#spec
    if (name !== undefined && !isOptional && !files.some(({ part }) => part === name))
      fail('INVALID_REQUEST', { why: reasons.noFile(name) }, { param: name })
    if (files.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) throw tooLarge(maxBytes)
    const fields = [...this.#fields].map(([name, value]) => [name, plainValue(value)] as const)
    return { fields: Object.fromEntries(fields), files }
  }

  async discard(why: unknown): Promise<void> {
    this.#message.unpipe(this.#parser)
    this.#parser.on('error', () => {})
    for (const content of this.#contents) content.destroy(why instanceof Error ? why : new ClientGone())
    this.#parser.destroy()
    for (const fileWrite of this.#fileWrites) {
      const file = await fileWrite.catch(() => undefined)
      await file?.[Symbol.asyncDispose]()
    }
  }

  #field(name: string, value: string, isCut: boolean): void {
    const shown = name.slice(0, nameBytes)
    const list = name.endsWith('[]') ? name.slice(0, -2) : name
    if (isCut || name.length > nameBytes)
      this.#refuseInvalid(reasons.longField(fieldBytesOf(this.#spec), needed(this.#spec)), shown)
    else if (this.#lists.has(list)) this.#listItem(list, value)
    else if (this.#objects.has(objectOf(name))) this.#member(name, value)
    else if (this.#fields.has(name)) this.#refuseInvalid(reasons.fieldTwice, shown)
    else this.#fields.set(name, value)
  }

  #listItem(list: string, value: string): void {
    const items = (this.#fields.get(list) ?? []) as string[]
    const more = this.#lists.get(list)!.isOfFixedValues ? value.split(',') : [value]
    this.#fields.set(list, [...items, ...more])
  }

  #member(field: string, value: string): void {
    const name = objectOf(field)
    const member = field.slice(name.length + 1, -1)
    const members = this.#fields.get(name) ?? new Map<string, string>()
    if (!(members instanceof Map) || members.has(member)) this.#refuseInvalid(reasons.fieldTwice, field)
    else this.#fields.set(name, members.set(member, value))
  }

  /** Pipes the file through a separate stream, whose end and errors behave as usual. */
  #file(about: Omit<UploadedFile, keyof SpoolFile>, content: FileContent): void {
    const { part } = about
    const count = (this.#count.get(part) ?? 0) + 1
    this.#count.set(part, count)
    if (count > this.#spec.files[part]!) this.#tooMany(part)
    const own = new PassThrough()
    // The stream's reader handles its errors; before and after reading, an error must not end the process.
    own.on('error', () => {})
    this.#contents.push(own)
    content.on('error', (error) => own.destroy(error))
    const fileWrite = this.#take(content.pipe(own), () => content.truncated === true).then((file) => ({
      ...file,
      ...about,
    }))
    fileWrite.catch(this.#refuse)
    this.#fileWrites.push(fileWrite)
  }

  /** Refuses a file that nobody would read: its caller would pay for an answer to another request. */
  #unknownFile(name: string, content: FileContent): void {
    content.on('error', () => {})
    content.resume()
    const shown = name.slice(0, nameBytes)
    this.#refuseInvalid(reasons.unknownFile(Object.keys(this.#spec.files)), shown === '' ? undefined : shown)
  }

  #tooMany(part: string): void {
    this.#refuseInvalid(reasons.manyFiles(this.#spec.files[part]!), part)
  }

  async #take(content: Readable, isCut: () => boolean): Promise<SpoolFile> {
    const { maxBytes } = this.#spec
    try {
      const file = await this.#spool.write(content, { maxBytes })
      if (!isCut()) return file
      await file[Symbol.asyncDispose]()
      throw tooLarge(maxBytes)
    } catch (error) {
      throw error instanceof TooLargeError ? tooLarge(maxBytes) : error
    }
  }

  #refuseInvalid(why: { en: string; fa: string }, param?: string): void {
    this.#refuse(invalid(why, param))
  }
}

function openParser(message: IncomingMessage, spec: ResolvedUploadSpec): InstanceType<typeof Busboy> {
  const { fields, files, maxBytes } = spec
  const names = Object.keys((fields as { properties?: object }).properties ?? {})
  const counts = [...[...listsIn(spec).values()].map(({ maxCount }) => maxCount), ...objectsIn(spec).values()]
  const members = counts.reduce((sum, count) => sum + count, 0)
  const maxFiles = Object.values(files).reduce((sum, count) => sum + count, 0)
  try {
    return new Busboy({
      headers: message.headers as BusboyHeaders,
      isPartAFile: (name, mediaType, fileName) =>
        filePartName(spec, name ?? '', fileName) !== undefined ||
        isUnknownFile(spec, name ?? '', mediaType, fileName),
      limits: {
        fieldSize: fieldBytesOf(spec),
        // A few more fields and a file more than declared are read, so that the refusal can name the unknown ones.
        fields: names.length + members + 8,
        files: maxFiles + 1,
        fileSize: maxBytes,
        parts: names.length + members + 15 + maxFiles,
        headerPairs: partHeaders,
        headerSize: partHeaderBytes,
      },
    })
  } catch {
    return fail('INVALID_REQUEST', { why: reasons.notMultipart })
  }
}

const fieldBytesOf = ({ fieldBytes = usualFieldBytes }: UploadSpec): number => fieldBytes

interface ListField {
  /** The maximum fields of this list in a form: one more than the schema allows, so that the schema refuses it by name. */
  maxCount: number
  isOfFixedValues: boolean
}

function listsIn({ fields }: UploadSpec): Map<string, ListField> {
  const properties: Record<string, { type?: unknown; maxItems?: number; items?: object }> =
    (fields as { properties?: never }).properties ?? {}
  return new Map(
    Object.entries(properties).flatMap(([name, { type, maxItems = maxMembers, items = {} }]) =>
      type === 'array' ? [[name, { maxCount: maxItems + 1, isOfFixedValues: 'enum' in items }] as const] : [],
    ),
  )
}
const maxMembers = 100

function objectsIn({ fields }: UploadSpec): Map<string, number> {
  const properties: Record<string, { type?: unknown; properties?: object }> =
    (fields as { properties?: never }).properties ?? {}
  return new Map(
    Object.entries(properties).flatMap(([name, { type, properties: members = {} }]) =>
      type === 'object' ? [[name, Object.keys(members).length] as const] : [],
    ),
  )
}

/** The object to which a field called `name[member]` belongs; empty for every other field. */
const objectOf = (field: string): string => /^([^[\]]+)\[[^[\]]+\]$/.exec(field)?.[1] ?? ''

const plainValue = (value: string | string[] | Map<string, string>): unknown =>
  value instanceof Map ? Object.fromEntries(value) : value

/** The part that every form must have, unless files are optional. */
const needed = ({ files }: UploadSpec): string | undefined => Object.keys(files)[0]

/** The name of a part in `files`; undefined if the part is a field. */
function filePartName({ files }: UploadSpec, name: string, fileName: string | undefined): string | undefined {
  if (Object.hasOwn(files, name)) return name
  if (fileName !== undefined && Object.hasOwn(files, '*')) return '*'
  const plain = name.endsWith('[]') ? name.slice(0, -2) : ''
  return Object.hasOwn(files, plain) && files[plain]! > 1 ? plain : undefined
}

/** Whether a part that the route does not know brings a file: it has a file name, or a media type that is no text. */
function isUnknownFile(
  { fields, files }: UploadSpec,
  name: string,
  mediaType: string | undefined,
  fileName: string | undefined,
): boolean {
  const properties: object = (fields as { properties?: object }).properties ?? {}
  const plain = name.endsWith('[]') ? name.slice(0, -2) : name
  if (Object.hasOwn(files, '*') || Object.hasOwn(properties, plain)) return false
  return fileName !== undefined || !isTextType(mediaType ?? 'text/plain')
}

const isTextType = (mediaType: string): boolean =>
  /^(text\/|application\/(json|sdp|x-www-form-urlencoded)\b)/i.test(mediaType)

const tooLarge = (limitBytes: number) => new Failure('BODY_TOO_LARGE', { limitBytes }, {})

const invalid = (why: { en: string; fa: string }, param: string | undefined) =>
  new Failure('INVALID_REQUEST', { why }, param === undefined ? {} : { param })
