/** Names of columns and tables: `title`, `"first name"`, `address->city`, `address->>city`, `list->0`. */
import type { Localized } from '#platform/errors'
import type { Reader } from './reader.ts'
import { whys } from './refusals.ts'
import { refuse, unreadable } from './refuse.ts'
import type { FieldName } from './request.ts'

/** PostgreSQL cuts names at 63 bytes; members of JSON may be longer. */
const maxNameLength = 200
const maxPathLength = 20

/** The characters that end a name without quotes. */
const ends = ',.:()!"'

/** A name up to a character that ends one; those of `also` end it, too. */
export function readName(reader: Reader, why: Localized, also = ''): string {
  const name = reader.next === '"' ? reader.quoted() : plainName(reader, also)
  if (name === undefined || name === '' || name.length > maxNameLength) refuse(unreadable(reader.text, why))
  return name
}

function plainName(reader: Reader, also: string): string {
  const begin = reader.place
  for (; !reader.isOver; reader.place++) {
    const one = reader.next!
    if (ends.includes(one) || also.includes(one) || reader.startsWith('->')) break
  }
  return reader.text.slice(begin, reader.place).trim()
}

export function readField(reader: Reader): FieldName {
  const column = readName(reader, whys.name)
  const path: string[] = []
  let asText = false
  while (!asText && reader.take('->')) {
    asText = reader.take('>')
    path.push(readName(reader, whys.name))
    if (path.length > maxPathLength) refuse(unreadable(reader.text, whys.deep))
  }
  return { column, path, asText }
}
