// The session of client.go with the official Node SDK:
//   npm install @modelcontextprotocol/sdk
//   node client.mjs fovea mcp --memex /tmp/river --agent guide
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'example', version: '1' });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
for (const [name, words] of [
  ['remember', {
    body: 'Two millimetres a month; calibrate before the flood.', tags: ['river'], title: 'The river gauge drifts',
  }],
  ['recall', { query: 'gauge calibrate' }],
  ['edit', { deadline: '2027-03-01', id: 'The river gauge drifts', todo: 'TODO' }],
  ['read', { id: 'The river gauge drifts' }],
  ['context', { budget: 200, focus: 'The river gauge drifts' }],
  ['history', { action: 'log', id: 'The river gauge drifts' }],
  ['forget', { id: 'The river gauge drifts' }],
  ['read', { id: 'The river gauge drifts' }],
]) {
  console.log('>', name, JSON.stringify(words));
  const result = await client.callTool({ name, arguments: words });
  for (const { text } of result.content) console.log(text);
}
await client.close();
