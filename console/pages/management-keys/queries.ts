/** What the pages of management keys read. */
import { keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { call, type Reply } from '../../api/client.ts'

export type ManagementKey = Reply<'GET /v1/management-keys/{id}'>
export type Show = 'active' | 'ended'

const pageSize = 50

/** A page of the management keys of the account, newest first. `after` is the last key of the page before. */
export const managementKeysQuery = (projectId: string | undefined, show: Show, after?: string) =>
  ({
    queryKey: ['management-keys', projectId, show, after ?? ''],
    queryFn: () =>
      call('GET /v1/management-keys', {
        query: { state: show, limit: pageSize, ...(after !== undefined && { after_id: after }) },
      }),
    enabled: projectId !== undefined,
    placeholderData: keepPreviousData,
  }) as const

export const managementKeyQuery = (projectId: string | undefined, id: string) =>
  ({
    queryKey: ['management-key', projectId, id],
    queryFn: () => call('GET /v1/management-keys/{id}', { params: { id } }),
    enabled: projectId !== undefined,
    // What it made since is asked for before it is revoked.
    refetchOnMount: 'always',
  }) as const

/** The management keys that a member made and that have not ended. An account has at most 50 of them, which one page holds. */
export const keysOfMakerQuery = (projectId: string | undefined, personId: string) =>
  ({
    queryKey: ['management-keys', projectId, 'of', personId],
    queryFn: async () => {
      const query = { state: 'active', limit: 100 } as const
      const { data } = await call('GET /v1/management-keys', { query, project: projectId! })
      return data.filter(({ made_by: maker }) => maker.person_id === personId)
    },
    enabled: projectId !== undefined,
    // What was made since is told before it ends.
    refetchOnMount: 'always',
  }) as const

/** A key that was made or changed is shown at once, and the lists are read again. */
export function noteManagementKey(
  queries: QueryClient,
  projectId: string | undefined,
  key: ManagementKey,
): void {
  queries.setQueryData(['management-key', projectId, key.id], key)
  void queries.invalidateQueries({ queryKey: ['management-keys'] })
}
