import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import type { RequestRow } from './queries.ts'

const most = 100
const staleTime = 300_000

/** The names of the keys of the project by their ids, as far as the role sees them: those that hold, and where a row needs them those that have ended. */
export function useKeyNames(rows: readonly RequestRow[]): ReadonlyMap<string, string> {
  const { projectId, may } = useAccount()
  const ofState = (state: 'active' | 'ended') => ({
    queryKey: ['keys', projectId, 'names', state],
    queryFn: () => call('GET /v1/keys', { query: { project_id: projectId!, state, limit: most } }),
    enabled: projectId !== undefined && may('keys:read'),
    staleTime,
  })
  const active = useQuery(ofState('active'))
  const names = new Map(active.data?.data.map(({ id, name }) => [id, name]))
  const isMissing = rows.some(({ key_id: key, person }) => !person && !names.has(key))
  const query = ofState('ended')
  const ended = useQuery({ ...query, enabled: query.enabled && active.isSuccess && isMissing })
  for (const { id, name } of ended.data?.data ?? []) names.set(id, name)
  return names
}

/** The members of the account, as far as the role sees them. */
export function usePeople(): { id: string; name: string }[] {
  const { projectId, may } = useAccount()
  const members = useQuery({
    queryKey: ['members', projectId, 'names'],
    queryFn: () => call('GET /v1/members', { query: { limit: most } }),
    enabled: projectId !== undefined && may('members:read'),
    staleTime,
  })
  return (members.data?.data ?? []).map((one) => ({ id: one.person_id, name: one.display_name }))
}
