/** What a text in the search box may be. */
import { latinDigits } from '../../words/digits.ts'

/** The text without blanks and without the signs of direction that come along when it is copied from a page in Persian. */
export const cleanWanted = (text: string): string =>
  text.replace(/[\u200e\u200f\u061c\u2066-\u2069]/g, '').trim()

/**
 * The id of a request that the text is: a UUID, with the prefix of a request or of an answer or with none, with or without hyphens. Undefined where it
 * is none.
 */
export function requestIdIn(text: string): string | undefined {
  const bare = latinDigits(text)
    .replace(/^(?:req_|msg_|resp_|chatcmpl-)/i, '')
    .toLowerCase()
  const hex = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/.test(bare)
    ? bare.replaceAll('-', '')
    : undefined
  return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Whether the text may be an idempotency key, by the rule of the API. */
export const mayBeIdempotencyKey = (text: string): boolean => /^[A-Za-z0-9._:-]{1,128}$/.test(text)
