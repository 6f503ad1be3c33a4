/** Forms with a file (multipart/form-data, RFC 7578): the file is streamed to the spool and is never held in memory. */
import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { TSchema } from 'typebox'
import { Failure, fail } from '#platform/errors'
import { type Spool, type SpoolFile, TooLarge } from '#platform/spool'
import { ClientGone, drainBytes, refuseEncoded } from './body.ts'
import { reasons } from './phrases.ts'

/** Configuration of a route that accepts a form with one file. */
export interface UploadSpec<Fields extends TSchema = TSchema> {
  /** The text fields; an object schema. They come as text, and are read as what the schema says. */
  fields: Fields
  /** Name of the part that is the file. */
  file: string
  /** Maximum bytes of the file; a larger one is answered with 413. */
  maxBytes: number
}

/** The parsed form. The file is deleted when the request ends. */
export interface Upload<Fields = unknown> {
  fields: Fields
  file: UploadedFile
}

export interface UploadedFile extends SpoolFile {
  /** The file name as sent, without folders; only its length is checked. */
  name: string | undefined
  /** As declared by the sender; not trustworthy. */
  mediaType: string
}

/** Limits besides the file, in bytes: texts, names and headers of parts. */
const fieldBytes = 16 * 1024
const partHeaderBytes = 8 * 1024
const partHeaders = 16
const nameBytes = 200
/** Allowance for boundaries, headers and fields. */
const aroundBytes = 256 * 1024

export const isMultipart = ({ headers }: IncomingMessage): boolean =>
  /^multipart\/form-data\b/i.test(headers['content-type']?.trim() ?? '')

/**
 * Reads the whole form. What is refused is read to its end but not kept, so that the client gets its answer and the connection serves the
 * next request. Throws INVALID_REQUEST, BODY_TOO_LARGE, SPOOL_FULL, and ClientGone; then nothing is left.
 */
export async function readUpload(message: IncomingMessage, spec: UploadSpec, spool: Spool): Promise<Upload> {
  refuseEncoded(message)
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

/** Text from the parser, which cuts it at the limit and reports that. */
type FileContent = Readable & { truncated?: boolean }

class Form {
  readonly finished: Promise<void>
  /** Rejects with the first error. */
  readonly refused: Promise<never>
  readonly #spec: UploadSpec
  readonly #spool: Spool
  readonly #message: IncomingMessage
  readonly #parser: InstanceType<typeof Busboy>
  readonly #fields = new Map<string, string>()
  readonly #refuse: (error: unknown) => void
  readonly #content = new PassThrough()
  #taking: Promise<UploadedFile> | undefined

  constructor(message: IncomingMessage, spec: UploadSpec, spool: Spool) {
    this.#message = message
    this.#spec = spec
    this.#spool = spool
    const refused = Promise.withResolvers<never>()
    refused.promise.catch(() => {})
    this.refused = refused.promise
    this.#refuse = refused.reject
    const finished = Promise.withResolvers<void>()
    this.finished = finished.promise
    // The reader of this stream gets its errors; before and after it reads, an error must not end the process.
    this.#content.on('error', () => {})
    this.#parser = openParser(message, spec)
      .on('field', (name, value, nameCut, valueCut) => this.#field(name, value, nameCut || valueCut))
      .on('file', (_name, content, fileName, _encoding, mediaType) =>
        this.#file(content, fileName, mediaType),
      )
      .on('filesLimit', () => this.#wrong(reasons.manyFiles, spec.file))
      .on('fieldsLimit', () => this.#wrong(reasons.manyFields))
      .on('partsLimit', () => this.#wrong(reasons.manyFields))
      .on('error', () => this.#wrong(reasons.notMultipart))
      .on('finish', finished.resolve)
    message.pipe(this.#parser)
  }

  async upload(): Promise<Upload> {
    const file = await this.#taking
    if (!file)
      return fail('INVALID_REQUEST', { why: reasons.noFile(this.#spec.file) }, { param: this.#spec.file })
    return { fields: Object.fromEntries(this.#fields), file }
  }

  async discard(why: unknown): Promise<void> {
    this.#message.unpipe(this.#parser)
    this.#parser.on('error', () => {})
    this.#content.destroy(why instanceof Error ? why : new ClientGone())
    this.#parser.destroy()
    const file = await this.#taking?.catch(() => undefined)
    await file?.[Symbol.asyncDispose]()
  }

  #field(name: string, value: string, isCut: boolean): void {
    const shown = name.slice(0, nameBytes)
    if (isCut || name.length > nameBytes) this.#wrong(reasons.longField(fieldBytes), shown)
    else if (this.#fields.has(name)) this.#wrong(reasons.fieldTwice, shown)
    else this.#fields.set(name, value)
  }

  /** Piped through our own stream, whose end and errors behave as usual. */
  #file(content: FileContent, name: string | undefined, mediaType: string): void {
    content.on('error', (error) => this.#content.destroy(error))
    this.#taking = this.#take(content.pipe(this.#content), () => content.truncated === true).then((file) => ({
      ...file,
      name: name || undefined,
      mediaType,
    }))
    this.#taking.catch(this.#refuse)
  }

  async #take(content: Readable, isCut: () => boolean): Promise<SpoolFile> {
    const { maxBytes } = this.#spec
    try {
      const file = await this.#spool.write(content, { maxBytes })
      if (!isCut()) return file
      await file[Symbol.asyncDispose]()
      throw tooLarge(maxBytes)
    } catch (error) {
      throw error instanceof TooLarge ? tooLarge(maxBytes) : error
    }
  }

  #wrong(why: { en: string; fa: string }, param?: string): void {
    this.#refuse(invalid(why, param))
  }
}

function openParser(
  message: IncomingMessage,
  { fields, file, maxBytes }: UploadSpec,
): InstanceType<typeof Busboy> {
  const names = Object.keys((fields as { properties?: object }).properties ?? {})
  try {
    return new Busboy({
      headers: message.headers as BusboyHeaders,
      isPartAFile: (name) => name === file,
      limits: {
        fieldSize: fieldBytes,
        // Unknown ones are named in the refusal.
        fields: names.length + 8,
        files: 1,
        fileSize: maxBytes,
        parts: names.length + 16,
        headerPairs: partHeaders,
        headerSize: partHeaderBytes,
      },
    })
  } catch {
    return fail('INVALID_REQUEST', { why: reasons.notMultipart })
  }
}

const tooLarge = (limitBytes: number) => new Failure('BODY_TOO_LARGE', { limitBytes }, {})

const invalid = (why: { en: string; fa: string }, param: string | undefined) =>
  new Failure('INVALID_REQUEST', { why }, param === undefined ? {} : { param })
