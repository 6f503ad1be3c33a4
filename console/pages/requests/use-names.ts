import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import type { RequestRow } from './queries.ts'

const most = 100
const staleTime = 300_000

/** The names of keys by their ids: of those that hold in the project, as far as the role sees them, and of all that paid for these rows. */
export function useKeyNames(rows: readonly RequestRow[]): ReadonlyMap<string, string> {
  const { projectId, may } = useAccount()
  const active = useQuery({
    queryKey: ['keys', projectId, 'names', 'active'],
    queryFn: () => call('GET /v1/keys', { query: { project_id: projectId!, state: 'active', limit: most } }),
    enabled: projectId !== undefined && may('keys:read'),
    staleTime,
  })
  const names = new Map(active.data?.data.map(({ id, name }) => [id, name]))
  for (const { key_id: key, key_name: name } of rows) if (name !== null) names.set(key, name)
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
