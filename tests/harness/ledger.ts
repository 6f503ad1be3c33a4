import { type Ledger, type LedgerOptions, openLedger } from '#platform/ledger'
import { joinProcesses, type ProcessesOptions } from '#platform/processes'

/** A ledger with its own process row, for tests that open no server; disposing it ends both. */
export async function openLedgerAlone({
  timing,
  ...ask
}: Omit<LedgerOptions, 'processes'> & Pick<ProcessesOptions, 'timing'>): Promise<Ledger> {
  const processes = await joinProcesses({ ...ask, timing })
  const ledger = openLedger({ ...ask, processes })
  return {
    ...ledger,
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]()
      await processes[Symbol.asyncDispose]()
    },
  }
}
