import type { Secrets } from '#platform/secrets'
import type { LetterKind, TypedLetter } from './kinds.ts'

/** What is sealed of a letter. */
export interface SealedLetter {
  data: TypedLetter['data']
  /** When its code or link ends. */
  expiresAt?: Date | undefined
}

const dates: ReadonlySet<string> = new Set(['at', 'dueAt', 'endsAt', 'expiresAt'])
const amounts: ReadonlySet<string> = new Set(['spent', 'cap', 'balance'])

const belongsTo = (mailId: string): string => `people.mails ${mailId}`

export const sealLetter = (secrets: Secrets, mailId: string, letter: SealedLetter): Promise<string> =>
  secrets.seal(
    JSON.stringify(letter, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    belongsTo(mailId),
  )

export async function openLetter(
  secrets: Secrets,
  { mail_id, kind, data_sealed }: { mail_id: string; kind: LetterKind; data_sealed: string },
): Promise<TypedLetter & SealedLetter> {
  const opened = JSON.parse(await secrets.open(data_sealed, belongsTo(mail_id)), (name, value: unknown) => {
    if (typeof value !== 'string') return value
    if (dates.has(name)) return new Date(value)
    return amounts.has(name) ? BigInt(value) : value
  }) as SealedLetter
  return { kind, ...opened } as TypedLetter & SealedLetter
}

/** The members of data that must not be shown; a letter that was sent or given up loses them. */
const secretMembers: ReadonlySet<string> = new Set(['code', 'link', 'undoLink', 'cancelLink'])

/** The mark in place of a code or a link. */
export const mask = '••••••'

/** The same content with `mask` in place of its code or link. */
export function masked<Content extends TypedLetter>(content: Content): Content {
  const data = Object.fromEntries(
    Object.entries(content.data).map(([name, value]) => [name, secretMembers.has(name) ? mask : value]),
  )
  return { ...content, data } as Content
}

/** The link of a letter; undefined for one without. */
export function linkOf({ data }: TypedLetter): string | undefined {
  if ('link' in data) return data.link
  if ('undoLink' in data) return data.undoLink
  return 'cancelLink' in data ? data.cancelLink : undefined
}
