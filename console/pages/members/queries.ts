/** What the pages of members read. */
import { keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { call, type Reply } from '../../api/client.ts'

export type Member = Reply<'GET /v1/members'>['data'][number]
export type Invitation = Reply<'GET /v1/invitations'>['data'][number]
export type Role = Member['role']

const pageSize = 50

/** A page of the members, of those whose name or address has `q` in it. `after` is the last member of the page before. */
export const membersQuery = (projectId: string | undefined, q: string, after?: string) =>
  ({
    queryKey: ['members', projectId, q, after ?? ''],
    queryFn: () =>
      call('GET /v1/members', {
        query: {
          limit: pageSize,
          ...(q !== '' && { q }),
          ...(after !== undefined && { after_id: after }),
        },
      }),
    enabled: projectId !== undefined,
    placeholderData: keepPreviousData,
  }) as const

export const memberQuery = (projectId: string | undefined, personId: string) =>
  ({
    queryKey: ['member', projectId, personId],
    queryFn: () => call('GET /v1/members/{person_id}', { params: { person_id: personId } }),
    enabled: projectId !== undefined,
  }) as const

/** The newest invitations that can still be accepted, or have ended without an answer. */
export const invitationsQuery = (projectId: string | undefined, state: 'open' | 'expired') =>
  ({
    queryKey: ['invitations', projectId, state],
    queryFn: () => call('GET /v1/invitations', { query: { state, limit: 100 } }),
    enabled: projectId !== undefined,
  }) as const

/** The keys of somebody who has left, newest first. */
export const leftKeysQuery = (projectId: string | undefined, personId: string) =>
  ({
    queryKey: ['keys', projectId, 'of', personId],
    queryFn: () => call('GET /v1/keys', { query: { made_by: personId, state: 'active', limit: 100 } }),
    enabled: projectId !== undefined,
  }) as const

/** Shows a changed member at once, and reads the lists again. */
export function noteMember(queries: QueryClient, projectId: string | undefined, member: Member): void {
  queries.setQueryData(['member', projectId, member.person_id], member)
  void queries.invalidateQueries({ queryKey: ['members'] })
  if (!member.is_you) return
  void queries.invalidateQueries({ queryKey: ['accounts'] })
  void queries.invalidateQueries({ queryKey: ['balance'] })
}
