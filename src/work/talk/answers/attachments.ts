/** Stored files as parts of a turn: as they are where the model takes them, and else as their text. */
import { findFile, openFile } from '#core/files'
import type { Model } from '#core/models'
import { imageTypes, mediaOf, pictureMedia } from '#core/text'
import type { MessageContent } from '#core/turn'
import { fail } from '#platform/errors'
import type { AnswersApp, AnswersContext } from './app.ts'
import { reasons } from './phrases.ts'

/** The most bytes of the attached files of a turn together. */
const maxBytes = 32 * 1024 * 1024

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const heifTypes = ['image/heic', 'image/heif', 'image/avif']

export class Attachments {
  readonly #context: AnswersContext
  readonly #model: Model
  #bytes = 0

  constructor(context: AnswersContext, model: Model) {
    this.#context = context
    this.#model = model
  }

  /**
   * The content of a file of the project. Throws FILE_NOT_FOUND, INVALID_MEDIA, INPUT_MODALITY_NOT_SUPPORTED and what opening a file throws; a file of an
   * earlier message (`isEarlier`) that is gone is named in its place.
   */
  async read(fileId: string, param: string, isEarlier: boolean): Promise<MessageContent> {
    const { app, caller } = this.#context
    const now = new Date(app.clock.nowMs())
    const row = await findFile(app.db, caller, fileId, now)
    const bytes = row && (await this.#bytesOf(row, param))
    if (!row || !bytes)
      return isEarlier
        ? { type: 'text', text: '[An attached file was deleted.]' }
        : fail('FILE_NOT_FOUND', {}, { param })
    return this.#content({ type: row.media_type, title: row.name ?? 'file', bytes, param })
  }

  async #bytesOf(
    row: NonNullable<Awaited<ReturnType<typeof findFile>>>,
    param: string,
  ): Promise<Buffer | undefined> {
    this.#bytes += Number(row.bytes)
    if (this.#bytes > maxBytes) fail('INVALID_MEDIA', { why: reasons.tooManyBytes(maxBytes) }, { param })
    const content = await openFile(this.#context.app.files, row)
    return content && Buffer.concat(await content.toArray())
  }

  async #content({ type, title, bytes, param }: AttachedFile): Promise<MessageContent> {
    const { inputModalities: takes, id } = this.#model
    const { accountId } = this.#context.caller
    if (imageTypes.includes(type) || heifTypes.includes(type)) {
      if (takes.includes('image'))
        return { type: 'image', media: await pictureMedia(bytes, { types: imageTypes, param, accountId }) }
      return fail(
        'INPUT_MODALITY_NOT_SUPPORTED',
        { model: id, modality: 'image', supported: takes },
        { param },
      )
    }
    if (type === 'application/pdf' && takes.includes('file'))
      return { type: 'document', title, citations: false, media: mediaOf(bytes, ['application/pdf'], param) }
    return {
      type: 'document',
      title,
      citations: false,
      parts: [{ type: 'text', text: await this.#text(type, bytes, param) }],
    }
  }

  async #text(type: string, bytes: Buffer, param: string): Promise<string> {
    const { app, caller, gone } = this.#context
    const kind = kindOf(type)
    if (!kind) return fail('INVALID_MEDIA', { why: reasons.otherFile(type) }, { param })
    const read = await app.reader.read(kind, bytes, { accountId: caller.accountId, signal: gone })
    if (!('unread' in read)) return read.cut ? `${read.text}\n[The document goes on.]` : read.text
    if (read.unread === 'busy') return fail('TOO_MUCH_IN_FLIGHT', {}, { param })
    return fail('INVALID_MEDIA', { why: reasons.unread }, { param })
  }
}

interface AttachedFile {
  type: string
  title: string
  bytes: Buffer
  param: string
}

function kindOf(type: string): Parameters<AnswersApp['reader']['read']>[0] | undefined {
  if (type === 'application/pdf') return 'pdf'
  if (type === docx) return 'docx'
  return type.startsWith('text/') || type === 'application/json' ? 'text' : undefined
}
