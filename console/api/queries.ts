/** What pages have read, kept while they are open. */
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { call, type Reply } from './client.ts'

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

export type MyAccount = Reply<'GET /v1/me/accounts'>['data'][number]

/** The accounts of the person, with their role and projects in each: all pages of them. */
export const accountsQuery = {
  queryKey: ['accounts'],
  queryFn: async (): Promise<{ data: MyAccount[] }> => {
    const data: MyAccount[] = []
    for (let after: string | null = null; ; ) {
      const page: Reply<'GET /v1/me/accounts'> = await call('GET /v1/me/accounts', {
        query: after === null ? {} : { after_id: after },
      })
      data.push(...page.data)
      if (!page.has_more) return { data }
      after = page.last_id
    }
  },
} as const

/** The second factors of the person, and what is pending for them. */
export const factorsQuery = { queryKey: ['factors'], queryFn: () => call('GET /v1/me/factors') } as const

/** The accounts of providers with which the person signs in. */
export const identitiesQuery = {
  queryKey: ['identities'],
  queryFn: () => call('GET /v1/me/identities'),
} as const

/** Where the person is signed in. */
export const sessionsQuery = { queryKey: ['sessions'], queryFn: () => call('GET /v1/me/sessions') } as const

/** How people sign in at this address. */
export const methodsQuery = {
  queryKey: ['methods'],
  queryFn: () => call('GET /v1/sign-in/methods'),
  staleTime: 300_000,
} as const

/** The models that the project may use. */
export const modelsQuery = (projectId: string | undefined) =>
  ({
    queryKey: ['models', projectId],
    queryFn: () => call('GET /v1/models'),
    enabled: projectId !== undefined,
    staleTime: 300_000,
  }) as const

/** Whether the account of the project is to be deleted, and when. */
export const deletionQuery = (projectId: string | undefined) =>
  ({
    queryKey: ['account-deletion', projectId],
    queryFn: () => call('GET /v1/account/deletion'),
    enabled: projectId !== undefined,
  }) as const

/** What can be spent in the project, and the caps that bind the person in it. */
export const balanceQuery = (projectId: string | undefined) =>
  ({
    queryKey: ['balance', projectId],
    queryFn: () => call('GET /v1/balance'),
    enabled: projectId !== undefined,
    refetchInterval: 60_000,
  }) as const
