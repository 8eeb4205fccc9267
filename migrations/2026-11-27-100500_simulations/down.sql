DROP TABLE share_links, simulate_commands, cost_caps, simulation_names, simulation_models, call_replies, prompts, not_shown,
    request_failures, responses, assignments, simulation_designs, simulation_questions, simulation_personas, simulations;
