// Subscribes to an address with the official Node SDK, says so, and prints the address of the
// first notice that comes:
//   node subscribe.mjs ADDRESS URL TOKEN
//   node subscribe.mjs ADDRESS fovea mcp
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [address, to, ...rest] = process.argv.slice(2);
const client = new Client({ name: 'subscriber', version: '1' });
const told = new Promise(resolve => client.setNotificationHandler(ResourceUpdatedNotificationSchema, n => resolve(n.params.uri)));
await client.connect(to.startsWith('http:')
  ? new StreamableHTTPClientTransport(new URL(to), { requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } } })
  : new StdioClientTransport({ command: to, args: rest, env: process.env }));
const offered = await client.complete({ ref: { type: 'ref/resource', uri: 'fovea://node/{+id}' }, argument: { name: 'id', value: 'gau' } });
console.log('offered', offered.completion.values.join());
await client.subscribeResource({ uri: address });
console.log('subscribed');
console.log(await told);
await client.close();
