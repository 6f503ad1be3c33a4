import { isRecord } from './json.ts'

/** A longer list is not accepted as a list of models. */
const maxNames = 20_000

/** The names in an answer of `/models`, in OpenAI's or Anthropic's format; undefined if it is not one, or incomplete. */
export function modelNames(answer: unknown): readonly string[] | undefined {
  if (!isRecord(answer) || !Array.isArray(answer['data']) || answer['has_more'] === true) return undefined
  const names = answer['data']
    .slice(0, maxNames)
    .flatMap((item: unknown) => (isRecord(item) && typeof item['id'] === 'string' ? [item['id']] : []))
  return names.length === 0 ? undefined : names
}
