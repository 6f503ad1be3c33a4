/** The fields of a publication as they stand in its JSON; the contents of files stay the bytes of the body. */
import { type ByteSpan, JsonCursor } from './json-cursor.ts'
import { pathBounds } from './path.ts'
import { InvalidPublication, type Problem } from './problem.ts'

export interface PublicationBody {
  name?: string
  slug?: string
  spa?: boolean
  cloudId?: string
  confirmPublic?: boolean
  items?: FileItem[]
}

/** A member of `files`. */
export interface FileItem {
  path?: string
  /** The place of its Base64 in the body. */
  content?: ByteSpan
  encoding?: string
  sha256?: string
}

/** The most bytes that a character of one or two UTF-16 units takes in JSON (`\ud83d\ude00`). */
const escapedBytes = 12
const maxEscapedBytes = (characters: number): number => characters * escapedBytes
const bounds = {
  name: maxEscapedBytes(100),
  slug: maxEscapedBytes(63),
  id: maxEscapedBytes(36),
  path: maxEscapedBytes(pathBounds.bytes),
  word: 1_000,
}

/** Reads the whole body once. Throws `InvalidPublication` at the first value that is not of its type or has no place here, and `NotJson`. */
export function readBody(bytes: Buffer, maxFiles: number): PublicationBody {
  const reader = new BodyReader(bytes, maxFiles)
  return reader.read()
}

class BodyReader {
  readonly #json: JsonCursor
  readonly #maxFiles: number

  constructor(bytes: Buffer, maxFiles: number) {
    this.#json = new JsonCursor(bytes)
    this.#maxFiles = maxFiles
  }

  read(): PublicationBody {
    const body: PublicationBody = {}
    this.#object('', {
      name: (param) => {
        body.name = this.#text(bounds.name, { param, kind: 'length', most: 100 })
      },
      slug: (param) => {
        body.slug = this.#text(bounds.slug, { param, kind: 'length', most: 63 })
      },
      spa: (param) => {
        body.spa = this.#flag(param)
      },
      cloud_id: (param) => {
        body.cloudId = this.#text(bounds.id, { param, kind: 'notUuid' })
      },
      confirm_public: (param) => {
        body.confirmPublic = this.#flag(param, 'notPublic')
      },
      files: (param) => {
        body.items = this.#files(param)
      },
    })
    this.#json.end()
    return body
  }

  #files(param: string): FileItem[] {
    const items: FileItem[] = []
    this.#require(param, 'list')
    this.#json.list((index) => {
      if (index >= this.#maxFiles)
        throw new InvalidPublication({ param, kind: 'tooMany', most: this.#maxFiles })
      items.push(this.#item(`${param}.${index}`))
    })
    return items
  }

  #item(param: string): FileItem {
    const item: FileItem = {}
    this.#object(param, {
      path: (at) => {
        item.path = this.#text(bounds.path, { param: at, kind: 'path', fault: 'long', path: undefined })
      },
      content: (at) => {
        this.#require(at, 'string')
        item.content = this.#json.ascii()
      },
      encoding: (at) => {
        item.encoding = this.#text(bounds.word, { param: at, kind: 'mustBe', value: 'base64' })
      },
      sha256: (at) => {
        item.sha256 = this.#text(bounds.word, { param: at, kind: 'notHash' })
      },
    })
    return item
  }

  /** Reads an object. Throws `InvalidPublication` for a field that is not known, or stands there twice. */
  #object(param: string, fields: Record<string, (param: string) => void>): void {
    this.#require(param, 'object')
    const read = new Set<string>()
    this.#json.object((name) => {
      const at = param === '' ? name : `${param}.${name}`
      if (!Object.hasOwn(fields, name)) throw new InvalidPublication({ param: at, kind: 'unknown' })
      if (read.has(name)) throw new InvalidPublication({ param: at, kind: 'twice' })
      read.add(name)
      fields[name]!(at)
    })
  }

  /** Reads a string of at most `maxBytes` bytes; a longer one is not read, and throws this problem. */
  #text(maxBytes: number, problem: Problem): string {
    this.#require(problem.param, 'string')
    const text = this.#json.text(maxBytes)
    if (text === undefined) throw new InvalidPublication(problem)
    return text
  }

  #flag(param: string, otherwise: 'type' | 'notPublic' = 'type'): boolean {
    const kind = this.#json.kind()
    if (kind !== 'true' && kind !== 'false')
      throw new InvalidPublication(
        otherwise === 'type' ? { param, kind: 'type', wanted: 'boolean' } : { param, kind: otherwise },
      )
    this.#json.word(kind)
    return kind === 'true'
  }

  #require(param: string, wanted: 'string' | 'object' | 'list'): void {
    if (this.#json.kind() !== wanted) throw new InvalidPublication({ param, kind: 'type', wanted })
  }
}
