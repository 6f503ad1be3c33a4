/** What the page shows, as it stands in the address and as the API takes it. */
import type { AddressChange } from '../../shell/use-address.ts'
import { type Interval, intervals } from '../../spending/names.ts'
import { type Dimension, dimensions } from './names.ts'

export type Filters = Readonly<Partial<Record<Exclude<Dimension, 'project'>, string>>>

export interface View {
  filters: Filters
  /** A project by its id, or all that the person may see; undefined for the project of the page. */
  project: string | undefined
  /** By what the table divides. */
  split: Dimension | 'time'
  /** Undefined where the range says it. */
  interval: Interval | undefined
  isCompared: boolean
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** What is longer names nothing, as the API has it. */
const maxLengths = { model: 200, endpoint: 200, customer: 120 }

const oneOf = <Name extends string>(names: readonly Name[], text: string): Name | undefined =>
  names.find((name) => name === text)
const id = (text: string): string | undefined => (uuid.test(text) ? text.toLowerCase() : undefined)
const free = (text: string, maxLength: number): string | undefined =>
  text !== '' && text.length <= maxLength ? text : undefined

/** Reads the address; what means nothing is as if it were not there. */
export function readView(read: (name: string) => string): View {
  const all = {
    model: free(read('model'), maxLengths.model),
    key: id(read('key')),
    person: id(read('person')),
    customer: free(read('customer'), maxLengths.customer),
    endpoint: free(read('endpoint'), maxLengths.endpoint),
  }
  return {
    filters: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    project: read('project') === 'all' ? 'all' : id(read('project')),
    split: oneOf([...dimensions, 'time'] as const, read('split')) ?? 'model',
    interval: oneOf(intervals, read('by')),
    isCompared: read('compare') !== 'none',
  }
}

export const isFiltered = ({ filters }: View): boolean => Object.keys(filters).length > 0

/** The address without filters. */
export const noFilters: AddressChange = { model: '', key: '', person: '', customer: '', endpoint: '' }

/** The filters as the API takes them, save that of one dimension, whose other groups are to be seen beside the picked one. */
export function queryOf({ filters, project }: View, projectId: string, without?: Dimension | 'time') {
  const picked = (dimension: keyof Filters): string | undefined =>
    dimension === without ? undefined : filters[dimension]
  const query = {
    model: picked('model'),
    key_id: picked('key'),
    person_id: picked('person'),
    customer_id: picked('customer'),
    endpoint: picked('endpoint'),
  }
  return {
    project_id: without === 'project' ? 'all' : (project ?? projectId),
    ...Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)),
  } as { project_id: string } & { [Name in keyof typeof query]?: string }
}

/** What is picked in a dimension. */
export const pickedIn = (view: View, dimension: Dimension | 'time'): string | undefined => {
  if (dimension === 'time') return undefined
  if (dimension === 'project') return view.project === 'all' ? undefined : view.project
  return view.filters[dimension]
}

/** The address once a group is picked, or no longer where it was. */
export const pick = (view: View, dimension: Dimension, value: string): AddressChange => {
  const isPicked = pickedIn(view, dimension) === value
  return { [dimension]: isPicked ? (dimension === 'project' ? 'all' : '') : value }
}

/** The query of the page Requests with the same filters and days. */
export const requestsSearch = (
  { filters, project }: View,
  { from, to }: { from: string; to: string },
): Record<string, string> => ({ ...filters, ...(project !== undefined && { project }), from, to })
