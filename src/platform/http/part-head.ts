/** What the head of a part of a form says beyond what its parser reports: the whole type of a file, and its name in other letters. */
import type { EventEmitter } from 'node:events'
import type { Busboy } from '@fastify/busboy'

export interface PartHead {
  /** `Content-Type` as it was sent. */
  contentType?: string
  /** The name in `filename*` (RFC 8187), without folders. Clients that send it put ASCII beside it, which the parser takes where both are quoted. */
  extendedName?: string
}

/** The headers of a part by their names in small letters, one character for each byte. */
type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** The reader of parts within the parser. Its type hides it. */
interface PartReader {
  _parser?: { parser?: EventEmitter }
}

/** Reports the head of each part before the parser reports the part itself. Throws for another version of the parser, which hides its reader elsewhere. */
export function readPartHeads(parser: InstanceType<typeof Busboy>, onHead: (head: PartHead) => void): void {
  const reader = (parser as unknown as PartReader)._parser?.parser
  if (!reader) throw new Error('the parser of forms has no reader of parts')
  reader.prependListener('part', (part: EventEmitter) => {
    part.once('header', (headers: PartHeaders) => onHead(headOf(headers)))
  })
}

function headOf(headers: PartHeaders): PartHead {
  const contentType = headers['content-type']?.[0]?.trim()
  const extendedName = extendedNameIn(headers['content-disposition']?.[0] ?? '')
  return { ...(contentType && { contentType }), ...(extendedName && { extendedName }) }
}

const extended = /;[ \t]{0,8}filename\*[ \t]{0,8}=[ \t]{0,8}utf-8'[\w-]{0,40}'([^\s;"]{1,6000})/i

/** Undefined without such a name, and for one that is no UTF-8 or has control characters. */
function extendedNameIn(disposition: string): string | undefined {
  const encoded = extended.exec(disposition)?.[1]
  if (encoded === undefined) return undefined
  try {
    const name = decodeURIComponent(encoded)
    return /\p{Cc}/u.test(name)
      ? undefined
      : name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  } catch {
    return undefined
  }
}
