/** Names of columns and tables: `title`, `"first name"`, `address->city`, `address->>city`, `list->0`. */
import type { Localized } from '#platform/errors'
import type { TextReader } from './reader.ts'
import { syntaxReasons } from './refusals.ts'
import { parseRefusal, refuse } from './refuse.ts'
import type { FieldName } from './request.ts'

/** PostgreSQL cuts names at 63 bytes; members of JSON may be longer. */
const maxNameLength = 200
const maxPathLength = 20

/** The characters that end a name without quotes. */
const ends = ',.:()!"'

/** A name up to a character that ends one; those of `also` end it, too. */
export function readName(reader: TextReader, why: Localized, also = ''): string {
  const name = reader.next === '"' ? reader.readQuoted() : plainName(reader, also)
  if (name === undefined || name === '' || name.length > maxNameLength) refuse(parseRefusal(reader.text, why))
  return name
}

function plainName(reader: TextReader, also: string): string {
  const begin = reader.offset
  for (; !reader.isOver; reader.offset++) {
    const one = reader.next!
    if (ends.includes(one) || also.includes(one) || reader.startsWith('->')) break
  }
  return reader.text.slice(begin, reader.offset).trim()
}

export function readField(reader: TextReader): FieldName {
  const column = readName(reader, syntaxReasons.name)
  const path: string[] = []
  let asText = false
  while (!asText && reader.take('->')) {
    asText = reader.take('>')
    path.push(readName(reader, syntaxReasons.name))
    if (path.length > maxPathLength) refuse(parseRefusal(reader.text, syntaxReasons.deep))
  }
  return { column, path, asText }
}
