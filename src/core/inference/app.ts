import type { PaidApp } from '#core/paid'
import type { HostedTools } from '#core/tools'

/** The slice of the app that turns of text models use. */
export interface TurnApp extends PaidApp {
  tools: HostedTools
}
