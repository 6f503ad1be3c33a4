import type { UpstreamAddress } from '#providers/kit'

/**
 * Anthropic's own host wants the key in `x-api-key`, and takes a bearer for another kind of credential. Other servers know
 * the one, the other or both, so they get both. Headers that the operator has named win.
 */
export function addressWithKey({ apiKey, headers, ...address }: UpstreamAddress): UpstreamAddress {
  if (apiKey === undefined) return { ...address, ...(headers && { headers }) }
  const isMaker = new URL(address.baseUrl).hostname === 'api.anthropic.com'
  return {
    ...address,
    headers: {
      'x-api-key': apiKey,
      ...(!isMaker && { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
  }
}
