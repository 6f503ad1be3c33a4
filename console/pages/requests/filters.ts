/** The filters of the list as they stand in the address, and as the API takes them. */
import { readDecimal, unitsAt } from './decimal.ts'
import { maxKeyLength } from './find.ts'

export const states = ['completed', 'failed', 'running'] as const
export type State = (typeof states)[number]

export interface Filters {
  model: string | undefined
  keyId: string | undefined
  personId: string | undefined
  customerId: string | undefined
  referenceId: string | undefined
  endpoint: string | undefined
  idempotencyKey: string | undefined
  state: State | undefined
  statusCode: number | undefined
  /** Of the cost, in credits as a decimal of at most six decimals. */
  min: string | undefined
  max: string | undefined
  /** A project by its id, or all; undefined for the project of the page. */
  project: string | undefined
}

/** The names under which they stand in the address. */
export const names = {
  model: 'model',
  keyId: 'key',
  personId: 'person',
  customerId: 'customer',
  referenceId: 'reference',
  endpoint: 'endpoint',
  idempotencyKey: 'idempotency',
  state: 'state',
  statusCode: 'status',
  min: 'min',
  max: 'max',
  project: 'project',
} as const satisfies Record<keyof Filters, string>

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** What the API takes of a customer's id. */
const maxLength = 120

const id = (text: string): string | undefined => (uuid.test(text) ? text.toLowerCase() : undefined)
const free = (text: string, length = maxLength): string | undefined =>
  [...text].slice(0, length).join('') || undefined

/** Credits as the address has them; undefined where they are none, or finer than a micro-credit. */
export function creditsIn(text: string): string | undefined {
  const read = text.length <= 20 ? readDecimal(text) : undefined
  return read && read.units >= 0n && read.decimals <= 6 && microcreditsOf(text).length <= 18
    ? text
    : undefined
}

const microcreditsOf = (credits: string): string => String(unitsAt(readDecimal(credits)!, 6))

/** Reads the address; what is none of the filters is as if it were not there. */
export const readFilters = (read: (name: string) => string): Filters => ({
  model: free(read(names.model)),
  keyId: id(read(names.keyId)),
  personId: id(read(names.personId)),
  customerId: free(read(names.customerId)),
  referenceId: free(read(names.referenceId)),
  endpoint: free(read(names.endpoint)),
  idempotencyKey: free(read(names.idempotencyKey), maxKeyLength),
  state: states.find((state) => state === read(names.state)),
  statusCode: /^[1-5]\d\d$/.test(read(names.statusCode)) ? Number(read(names.statusCode)) : undefined,
  min: creditsIn(read(names.min)),
  max: creditsIn(read(names.max)),
  project: read(names.project) === 'all' ? 'all' : id(read(names.project)),
})

/** The address without any filter, and at the beginning of the list. */
export const noFilters: Readonly<Record<string, string>> = Object.fromEntries(
  [...Object.values(names), 'from', 'to'].map((name) => [name, '']),
)

/** Whether anything but the project cuts the list. */
export const isFiltered = (filters: Filters): boolean =>
  Object.entries(filters).some(([name, value]) => name !== 'project' && value !== undefined)

interface Days {
  from: string
  to: string
}

/** The query of the API. Days are those of the account's zone, both ends included. */
export const queryOf = (filters: Filters, range: Days | undefined) => ({
  ...(range && { from: range.from, to: range.to }),
  ...(filters.model !== undefined && { model: filters.model }),
  ...(filters.keyId !== undefined && { key_id: filters.keyId }),
  ...(filters.personId !== undefined && { person_id: filters.personId }),
  ...(filters.customerId !== undefined && { customer_id: filters.customerId }),
  ...(filters.referenceId !== undefined && { reference_id: filters.referenceId }),
  ...(filters.endpoint !== undefined && { endpoint: filters.endpoint }),
  ...(filters.idempotencyKey !== undefined && { idempotency_key: filters.idempotencyKey }),
  ...(filters.state !== undefined && { state: filters.state }),
  ...(filters.statusCode !== undefined && { status_code: filters.statusCode }),
  ...(filters.min !== undefined && { min_microcredits: microcreditsOf(filters.min) }),
  ...(filters.max !== undefined && { max_microcredits: microcreditsOf(filters.max) }),
  ...(filters.project !== undefined && { project_id: filters.project }),
})

/** The address of the page Usage with the same filters, as far as it has them. */
export function usageAddress({
  model,
  endpoint,
  keyId,
  personId,
  customerId,
  project,
}: Partial<Filters>): string {
  const given = { model, endpoint, key: keyId, person: personId, customer: customerId, project }
  const pairs = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return pairs.length === 0 ? '/usage' : `/usage?${new URLSearchParams(pairs)}`
}
