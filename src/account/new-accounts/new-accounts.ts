/** Accounts that people open for themselves by proving an address: plan, project, and first credits once for each mailbox. */
import './phrases.ts'

export { type NewAccountsApp, openAccount } from './open-account.ts'
