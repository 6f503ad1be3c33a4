import type { UpstreamAddress } from '#providers/kit'

/**
 * Anthropic's own host expects the key in `x-api-key`, and a bearer token for another kind of credential. Other servers accept either or
 * both, so both are sent. Headers that the operator has configured take precedence.
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
