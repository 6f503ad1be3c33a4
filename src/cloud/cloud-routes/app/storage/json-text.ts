/** Answers with values that the database has as JSON: they are not parsed here, whatever is in them and however deep they are. */
import type { AppReply } from '../area.ts'

/** Returns an object of `members`, at least one, and of `texts`, which are JSON. */
export const objectText = (members: object, texts: Readonly<Record<string, string | null>>): string => {
  const own = JSON.stringify(members).slice(0, -1)
  const more = Object.entries(texts).map(([name, text]) => `,${JSON.stringify(name)}:${text ?? 'null'}`)
  return `${own}${more.join('')}}`
}

export const listText = (texts: readonly string[]): string => `[${texts.join(',')}]`

export const jsonReply = (text: string): AppReply => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: Buffer.from(text),
})
