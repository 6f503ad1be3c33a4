/** What pages have read, kept while they are open. */
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { call } from './client.ts'

/** A refusal is not asked for again; what could not be reached is, twice. */
const mayRepeat = (count: number, error: Error): boolean => !(error instanceof ApiError) && count < 2

export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 20_000, retry: mayRepeat, retryDelay: 1_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})

/** The person of the session. */
export const meQuery = { queryKey: ['me'], queryFn: () => call('GET /v1/me') } as const

/** The accounts of the person, with their role and projects in each. */
export const accountsQuery = { queryKey: ['accounts'], queryFn: () => call('GET /v1/me/accounts') } as const

/** What can be spent in the project, and the caps that bind the person in it. */
export const balanceQuery = (projectId: string | undefined) =>
  ({
    queryKey: ['balance', projectId],
    queryFn: () => call('GET /v1/balance'),
    enabled: projectId !== undefined,
    refetchInterval: 60_000,
  }) as const
