import type { Config } from '#platform/config'

/**
 * `mail` where letters reach people; `none` where the operator has named no mail server, or no KHERAD_BASE_URL, without which no link may stand in a
 * mail: the address that a request names is whatever its sender wants.
 */
export const mailChannel = ({
  config,
}: {
  config: Pick<Config, 'mail' | 'baseUrlNamed'>
}): 'mail' | 'none' => (config.mail !== undefined && config.baseUrlNamed ? 'mail' : 'none')
