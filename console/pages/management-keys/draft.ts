/** A management key as it is being described, and its body for the API. */
import type { Body } from '../../api/client.ts'
import { latinDigits } from '../../words/digits.ts'
import { addDays, dayInTehran, endOfDay, type IsoDay, readDay } from '../../words/tehran-days.ts'
import type { RightName } from './rights.ts'

export type EndChoice = '30' | '90' | '365' | 'day'

export interface Draft {
  name: string
  rights: string[]
  scopes: string[]
  end: EndChoice
  endDay: string
  /** One a line. */
  addresses: string
}

export const emptyDraft: Draft = {
  name: '',
  rights: [],
  scopes: [],
  end: '90',
  endDay: '',
  addresses: '',
}

const longestDays = 365

/** The last day of the key in Tehran; undefined for what is no day within a year. */
export function endDayOf({ end, endDay }: Pick<Draft, 'end' | 'endDay'>, now: Date): IsoDay | undefined {
  const today = dayInTehran(now)
  if (end !== 'day') return addDays(today, Number(end))
  const day = readDay(endDay)
  return day !== undefined && day >= today && day <= addDays(today, longestDays) ? day : undefined
}

/** Addresses as typed, with commas or on lines, in any digits. */
export const addressesOf = (text: string): string[] => [
  ...new Set(
    latinDigits(text)
      .split(/[\s,،]+/)
      .filter((one) => one !== ''),
  ),
]

/**
 * Which of the addresses the API has refused, by the name of the field in its refusal (`addresses.1`), shortened to sixty characters; undefined where
 * it is none of them. Empty where the refusal is of the whole list.
 */
export function refusedAddress(
  param: string | undefined,
  draft: Pick<Draft, 'addresses'>,
): string | undefined {
  const [field, at] = param?.split('.') ?? []
  if (field !== 'addresses') return undefined
  const address = addressesOf(draft.addresses)[Number(at)] ?? ''
  return address.length > 60 ? `${address.slice(0, 60)}…` : address
}

/** Scopes are for keys that the key may make. */
export const givesScopes = ({ rights }: Pick<Draft, 'rights'>): boolean => rights.includes('keys:write')

/** The body; undefined while something is missing. */
export function bodyOf(draft: Draft, now: Date): Body<'POST /v1/management-keys'> | undefined {
  const day = endDayOf(draft, now)
  const name = draft.name.trim()
  if (day === undefined || name === '' || draft.rights.length === 0) return undefined
  const addresses = addressesOf(draft.addresses)
  return {
    name,
    permissions: draft.rights as RightName[],
    ...(givesScopes(draft) && draft.scopes.length > 0 && { key_scopes: draft.scopes }),
    ...(addresses.length > 0 && { addresses }),
    expires_at: endOfDay(day),
  }
}
