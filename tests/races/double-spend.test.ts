/** Two processes; what four do with more calls is proven in tests/campaign/races. */
import { openServers, proveBounds, proveSharing } from './bounds.ts'

openServers(2)
proveBounds(80)
proveSharing()
