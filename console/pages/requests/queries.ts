/** What the page of requests reads. */
import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query'
import { call, type Reply } from '../../api/client.ts'
import type { queryOf } from './filters.ts'

export type RequestPage = Reply<'GET /v1/requests'>
export type RequestRow = RequestPage['data'][number]
export type Report = Reply<'GET /v1/requests/{id}'>
/** The filters as the API takes them. */
export type RequestQuery = ReturnType<typeof queryOf>

export const pageSize = 50

export type RequestPages = InfiniteData<RequestPage, string | undefined>

export const requestsKey = (projectId: string | undefined, query: RequestQuery) =>
  ['requests', projectId, query] as const

/** The list, the newest first, page by page into the past. What is new comes in by `useTail`, so that rows do not move while somebody reads. */
export const requestsQuery = (projectId: string | undefined, query: RequestQuery) =>
  infiniteQueryOptions({
    queryKey: requestsKey(projectId, query),
    queryFn: ({ pageParam }: { pageParam: string | undefined }) =>
      call('GET /v1/requests', {
        query: { ...query, limit: pageSize, ...(pageParam !== undefined && { after: pageParam }) },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ has_more: hasMore, next_after: after }: RequestPage) =>
      hasMore ? (after ?? undefined) : undefined,
    enabled: projectId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

export const rowsOf = (data: Pick<RequestPages, 'pages'>): RequestRow[] =>
  data.pages.flatMap((page) => page.data)

/** The same list with other rows; older pages go on after its last one. */
export function withRows({ pages }: RequestPages, rows: RequestRow[]): RequestPages {
  return { pages: [{ ...pages.at(-1)!, data: rows }], pageParams: [undefined] }
}

/** A receipt is written some milliseconds after its answer; durable work goes on for days. */
const waitMs = (readings: number): number => Math.min(5_000, 300 * 2 ** readings)

/** A call in full, read again until it is settled. */
export const reportQuery = (projectId: string | undefined, id: string) => ({
  queryKey: ['request', projectId, id] as const,
  queryFn: () => call('GET /v1/requests/{id}', { params: { id } }),
  enabled: projectId !== undefined,
  refetchInterval: ({ state }: { state: { data?: Report | undefined; dataUpdateCount: number } }) =>
    state.data?.pending ? waitMs(state.dataUpdateCount) : (false as const),
})

/** Shows in the lists what has become of a call that was read in full. */
export function noteReport(queries: QueryClient, projectId: string | undefined, report: Report): void {
  queries.setQueriesData<RequestPages>({ queryKey: ['requests', projectId] }, (data) => {
    if (!data || !rowsOf(data).some(({ id, state }) => id === report.id && state !== report.state))
      return data
    const { state, pending, status_code, credits, microcredits, finished_at, ambiguous, model } = report
    const change = { state, pending, status_code, credits, microcredits, finished_at, ambiguous, model }
    const changed = (row: RequestRow): RequestRow => (row.id === report.id ? { ...row, ...change } : row)
    return { ...data, pages: data.pages.map((page) => ({ ...page, data: page.data.map(changed) })) }
  })
}
