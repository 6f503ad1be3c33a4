/** What the pages of keys read. */
import { keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Key } from './settings.ts'

export type Show = 'active' | 'ended' | 'left'

const pageSize = 50

/** A page of the keys of a project, newest first. `after` is the last key of the page before. */
export const keysQuery = (projectId: string | undefined, show: Show, after?: string) =>
  ({
    queryKey: ['keys', projectId, show, after ?? ''],
    queryFn: () =>
      call('GET /v1/keys', {
        query: {
          ...(projectId !== undefined && { project_id: projectId }),
          state: show === 'ended' ? 'ended' : 'active',
          ...(show === 'left' && { made_by: 'left' }),
          ...(after !== undefined && { after_id: after }),
          limit: pageSize,
        },
      }),
    enabled: projectId !== undefined,
    placeholderData: keepPreviousData,
  }) as const

export const keyQuery = (projectId: string | undefined, id: string) =>
  ({
    queryKey: ['key', projectId, id],
    queryFn: () => call('GET /v1/keys/{id}', { params: { id } }),
    enabled: projectId !== undefined,
  }) as const

/** A key that was made or changed is shown at once, and the lists are read again. */
export function noteKey(queries: QueryClient, projectId: string | undefined, key: Key): void {
  queries.setQueryData(['key', projectId, key.id], key)
  void queries.invalidateQueries({ queryKey: ['keys'] })
}
